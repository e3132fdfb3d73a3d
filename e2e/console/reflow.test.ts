import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rounds } from '../testing/rounds.ts'
import { findLostContent, findMotion, findOverlaps, findSmallTargets } from './measure-page.ts'
import { type PlayedSessions, playSessions } from './played-sessions.ts'
import { emptyScenes, scenes } from './scenes.ts'
import { chromium, openStage, type Stage } from './stage.ts'
import { openVisitors, type Visitors } from './visit-scenes.ts'

/** A page of 1280 pixels at 400 %, and one of half that width with text of twice the size. */
const everySize = [
  { width: 320, height: 640, text: '' },
  { width: 640, height: 900, text: '200%' },
] as const

/** The second size only in the soak. */
const sizes = rounds > 1 ? everySize : everySize.slice(0, 1)

/** What is lost, too small or in motion on a page, at each size. */
async function measure(page: Page): Promise<readonly string[]> {
  const found: string[] = []
  for (const { width, height, text } of sizes) {
    await page.setViewportSize({ width, height })
    await settle(page)
    await page.evaluate((size) => {
      document.documentElement.style.fontSize = size
    }, text)
    await settle(page)
    for (const look of [findLostContent, findOverlaps, findSmallTargets, findMotion])
      for (const problem of await page.evaluate(look)) found.push(`${width} ${text} ${problem}`)
  }
  return found
}

/** After two frames, everything that depends on the size of the page is up to date. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
}

describe.skipIf(chromium === undefined)('a narrow page and a large text', () => {
  let stage: Stage
  let visitors: Visitors
  let played: PlayedSessions
  beforeAll(async () => {
    stage = await openStage()
    visitors = await openVisitors(stage)
  })
  afterAll(async () => {
    await stage?.close()
  })

  describe('of a gateway without a session', () => {
    test.each(emptyScenes)('lose nothing of $name', async (scene) => {
      const page = await stage.open('/', { isAnonymous: true, width: 320 })
      await scene.arrange(page)
      expect(await measure(page)).toEqual([])
    })
  })

  describe('of a gateway at work', () => {
    beforeAll(async () => {
      played = await playSessions(stage.client, stage.gateway.url)
    })

    test.each(scenes)('lose nothing of $name', async (scene) => {
      expect(await measure(await visitors.visit(scene, played))).toEqual([])
    })

    test('only those who do not mind see something move', async () => {
      const page = await stage.open(`/sessions/${played.working.session}`)
      await page.locator('.status[data-tone="live"]').first().waitFor()
      expect(await page.evaluate(findMotion)).toEqual([])
      await page.emulateMedia({ reducedMotion: 'no-preference' })
      expect(await page.evaluate(findMotion)).not.toEqual([])
    })

    test('text is read in the direction of its script, paragraph by paragraph', async () => {
      const page = await stage.open(`/sessions/${played.working.session}`)
      const directionOf = (text: string): Promise<string> =>
        page
          .locator('.answer')
          .getByText(text)
          .evaluate((element) => {
            const { direction, textAlign } = getComputedStyle(element)
            return `${direction} ${textAlign}`
          })
      expect(await directionOf('الوصول')).toBe('rtl start')
      expect(await directionOf('خبز')).toBe('rtl start')
      expect(await directionOf('Then back')).toBe('ltr start')
    })

    test.each([
      ['part of the session', '.part[aria-current]', '.part:not([aria-current])'],
      ['session', '.session-link[aria-current]', '.session-link:not([aria-current])'],
      ['filter', '.chip input:checked + span', '.chip input:not(:checked) + span'],
      ['entry', '.timeline-row[aria-selected="true"]', '.timeline-row[aria-selected="false"]'],
    ])('forced colours show which %s is chosen', async (_, chosen, other) => {
      const page = await stage.open(`/sessions/${played.completed}?seq=1`, { forcedColors: true })
      const styleOf = (selector: string): Promise<string> =>
        page
          .locator(selector)
          .first()
          .evaluate((element) => {
            const { color, backgroundColor, borderBlockEnd, borderInlineStart } = getComputedStyle(element)
            // A transparent background shows the canvas, the colour that other backgrounds are forced to.
            const background = backgroundColor.replace(/^rgba\((.*), 0\)$/, 'rgb($1)')
            return [color, background, borderBlockEnd, borderInlineStart].join(' ')
          })
      expect(await styleOf(chosen)).not.toBe(await styleOf(other))
    })

    test('no error and no breach of policy', () => expect(stage.faults).toEqual([]))
  })
})
