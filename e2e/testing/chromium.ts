import { type Browser, chromium } from 'playwright-core'
import { findProgram } from '../client/find-program.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome']

/**
 * Features that cost time in every page and that no test sees: two pages of the address bar, loaded for every
 * window, and a spare process for the next page.
 */
const unusedFeatures = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess']
/** Playwright's own list, because the last list counts. */
const featuresOffByDefault = [
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
]

/** The path of Chromium; if it is missing, undefined, after a warning that says how to get it. */
export function findChromium(): string | undefined {
  return findProgram(names, 'apt install chromium')
}

/** Starts Chromium without a window and without its background activity. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--disable-features=${[...featuresOffByDefault, ...unusedFeatures].join()}`,
    ],
  })
}
