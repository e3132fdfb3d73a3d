import { type Client, createClient } from '@sluice/client'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { findChromium, launchChromium } from '../testing/chromium.ts'
import {
  type GatewayProcess,
  type GatewayProcessOptions,
  startGatewayProcess,
} from '../testing/gateway-process.ts'

export const chromium = findChromium()

/** If a page has not done something by then, it never will; long, since a machine may be busy. */
const patienceMs = 90_000

export interface OpenOptions {
  readonly width?: number
  readonly height?: number
  readonly theme?: 'light' | 'dark'
  readonly forcedColors?: boolean
  /** Without a key the page sees only what everybody on this machine may see. */
  readonly isAnonymous?: boolean
  readonly permissions?: readonly string[]
  /** Runs in the page before anything else. */
  readonly script?: string
}

/** A gateway in a separate process, and a browser to look at it. */
export interface Stage {
  readonly gateway: GatewayProcess
  /** Has all grants. */
  readonly client: Client
  /** A separate page, opened as a first-time visitor. */
  open(path: string, options?: OpenOptions): Promise<Page>
  /** Script errors, warnings of React, and violations of the content security policy, from all pages. */
  readonly faults: readonly string[]
  close(): Promise<void>
}

export async function openStage(options: GatewayProcessOptions = {}): Promise<Stage> {
  const gateway = await startGatewayProcess(options)
  const browser: Browser = await launchChromium(chromium ?? '')
  const client = createClient({ url: gateway.url, token: gateway.localKey })
  const faults: string[] = []
  const contexts: BrowserContext[] = []
  return {
    gateway,
    client,
    faults,
    async open(path, { width = 1280, height = 900, theme = 'light', ...more } = {}) {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: theme,
        reducedMotion: 'reduce',
        forcedColors: more.forcedColors === true ? 'active' : 'none',
        permissions: [...(more.permissions ?? [])],
      })
      context.setDefaultTimeout(patienceMs)
      contexts.push(context)
      const page = await context.newPage()
      page.on('pageerror', (error) => faults.push(String(error)))
      page.on('console', (message) => {
        const text = message.text()
        if (/content security policy/i.test(text) || /^Warning:|React/.test(text)) faults.push(text)
      })
      if (more.script !== undefined) await page.addInitScript(more.script)
      const token = more.isAnonymous === true ? '' : `#token=${gateway.localKey}`
      await page.goto(`${gateway.url}${path}${token}`)
      await page.waitForSelector('h1')
      return page
    },
    async close() {
      for (const context of contexts) await context.close()
      await browser.close()
      await gateway.remove()
    },
  }
}
