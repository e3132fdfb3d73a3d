import type { Page } from 'playwright-core'
import { until } from '../testing/until.ts'

/** One addition to a live region, which a screen reader reads out. */
export interface Heard {
  readonly region: 'polite' | 'assertive'
  readonly text: string
  /** The region's `aria-live` at that moment. */
  readonly live: string
}

/** What a page records about its live regions. */
interface HearingPage {
  readonly heard: readonly Heard[]
  /** Changes of text that was already said: screen readers treat them in different ways. */
  readonly changed: readonly string[]
}

/** Runs in the page from its start: records all that is added to the announcer's live regions, in order. */
export const hearingScript = `
  globalThis.heard = []
  globalThis.changed = []
  const regionOf = (node) =>
    (node instanceof Element ? node : node.parentElement)?.closest('[data-part="polite"], [data-part="assertive"]')
  new MutationObserver((records) => {
    for (const { type, target, addedNodes } of records) {
      const region = regionOf(target)
      if (region === null || region === undefined) continue
      if (type === 'characterData') globalThis.changed.push(target.textContent)
      for (const node of addedNodes)
        globalThis.heard.push({
          region: region.getAttribute('data-part'),
          text: node.textContent,
          live: region.getAttribute('aria-live'),
        })
    }
  }).observe(document, { childList: true, characterData: true, subtree: true })
`

/** All that was heard so far. Throws if any of it has changed since. */
export async function heardOn(page: Page): Promise<readonly Heard[]> {
  const { heard, changed } = await page.evaluate(() => {
    const { heard, changed } = globalThis as unknown as HearingPage // what the script above makes
    return { heard, changed }
  })
  if (changed.length > 0) throw new Error(`changed in a live region: ${changed.join(', ')}`)
  return heard
}

export async function textsOn(page: Page): Promise<readonly string[]> {
  return (await heardOn(page)).map(({ text }) => text)
}

/** Resolves when a text that contains this was heard. */
export async function untilHeard(page: Page, part: string): Promise<void> {
  await until(async () => (await textsOn(page)).some((text) => text.includes(part)))
}
