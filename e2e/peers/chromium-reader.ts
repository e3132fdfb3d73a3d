import type { Browser } from 'playwright-core'
import type { SeenFrame, StockReader } from './stock-reader.ts'

/** What the page keeps for the test. */
interface PageState {
  readonly frames: readonly SeenFrame[]
  readonly outcome?: string
  readonly errors: number
}

/** The EventSource of a browser, in a page of the gateway's origin. */
export interface ChromiumReader extends StockReader {
  state(): Promise<PageState & { readonly readyState: number }>
}

export async function openInChromium(browser: Browser, url: string): Promise<ChromiumReader> {
  // The policy of this page lets it load nothing.
  const page = await browser.newPage({ bypassCSP: true })
  await page.goto(new URL('/healthz', url).href)
  // As text: it runs in the page, where the types of this file say nothing.
  await page.evaluate(`
    globalThis.seen = { frames: [], errors: 0 }
    globalThis.source = new EventSource(${JSON.stringify(url)})
    source.onmessage = ({ lastEventId: id, data }) => seen.frames.push({ id, data })
    source.addEventListener('sluice.end', ({ data }) => { seen.outcome = JSON.parse(data).outcome })
    source.onerror = () => { seen.errors += 1 }
  `)
  const read = async (): Promise<PageState & { readonly readyState: number }> =>
    JSON.parse(
      await page.evaluate('JSON.stringify({ ...seen, readyState: source.readyState })'),
    ) as PageState & {
      readonly readyState: number
    } // as made above
  const stopped = page
    .waitForFunction('source.readyState === EventSource.CLOSED', undefined, { timeout: 0 })
    .then(() => undefined)
  stopped.catch(() => {}) // the page may be closed before
  return {
    state: read,
    frames: async () => (await read()).frames,
    outcome: async () => (await read()).outcome,
    stopped,
    close: () => page.close(),
  }
}
