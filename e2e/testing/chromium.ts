import { type Browser, chromium } from 'playwright-core'
import { findProgram } from '../client/find-program.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome']

/** Where Chromium is; undefined, with a line that tells how to get it, when it is missing. */
export function findChromium(): string | undefined {
  return findProgram(names, 'apt install chromium')
}

/** Starts Chromium without a window and without what it does for itself in the background. */
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
