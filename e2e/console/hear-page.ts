import type { Page } from 'playwright-core'
import { until } from '../testing/until.ts'

/** What a screen reader is given: one addition to a live region. */
export interface Heard {
  readonly region: 'polite' | 'assertive'
  readonly text: string
  /** What the region was at that moment. */
  readonly live: string
}

/** What a page keeps of its live regions. */
interface HearingPage {
  readonly heard: readonly Heard[]
  /** Changes of what was already said: a screen reader tells them in ways of its own. */
  readonly changed: readonly string[]
}

/** Runs in the page from its beginning: keeps all that is added to the live regions of the announcer, in order. */
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

/** All that was heard so far. Nothing of it may have changed since. */
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

/** Resolves when a text was heard that holds this. */
export async function untilHeard(page: Page, part: string): Promise<void> {
  await until(async () => (await textsOn(page)).some((text) => text.includes(part)))
}
