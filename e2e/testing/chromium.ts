import { type Browser, chromium } from 'playwright-core'
import { findProgram } from '../client/find-program.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome']

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
    ],
  })
}
