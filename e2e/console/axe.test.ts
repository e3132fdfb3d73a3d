import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { addKey } from '@sluice/gateway/admin'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rounds } from '../testing/rounds.ts'
import { type PlayedSessions, playSessions } from './played-sessions.ts'
import { emptyScenes, offlineScene, scenes } from './scenes.ts'
import { chromium, openStage, type Stage } from './stage.ts'
import { openVisitors, type Visitors } from './visit-scenes.ts'

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice']
/** All other rules find the same in both themes. */
const colourRules = ['color-contrast', 'link-in-text-block']
const everyLook = [
  { width: 1280, theme: 'light', runOnly: { type: 'tag', values: tags } },
  { width: 320, theme: 'dark', runOnly: { type: 'tag', values: tags } },
  { width: 1280, theme: 'dark', runOnly: { type: 'rule', values: colourRules } },
  { width: 320, theme: 'light', runOnly: { type: 'rule', values: colourRules } },
] as const
/** Each view in turn gets one look; in the soak every view gets all of them. */
let views = 0
function nextLooks(): readonly (typeof everyLook)[number][] {
  views += 1
  return rounds > 1 ? everyLook : everyLook.slice(views % 2, (views % 2) + 1)
}

/** What axe finds on a page, wide and narrow, light and dark. */
async function findViolations(page: Page): Promise<readonly string[]> {
  const found: string[] = []
  for (const [index, { width, theme, runOnly }] of nextLooks().entries()) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: theme })
    // Half a megabyte, which the page already has after the first look.
    const { violations } = await new AxeBuilder(index === 0 ? { page } : { page, axeSource: 'void 0' })
      .options({ runOnly, resultTypes: ['violations'], preload: false })
      // The pages have no frames; without legacy mode, axe opens another page each time.
      .setLegacyMode()
      .analyze()
    for (const { id, nodes } of violations)
      for (const { target, failureSummary } of nodes)
        found.push(`${width} ${theme} ${id} ${target.join(' ')}: ${failureSummary}`)
  }
  return found
}

describe.skipIf(chromium === undefined)('axe finds nothing', () => {
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

  describe('in a gateway without a session:', () => {
    test.each(emptyScenes)('$name', async (scene) => {
      const page = await stage.open('/', { isAnonymous: true })
      await scene.arrange(page)
      expect(await findViolations(page)).toEqual([])
    })
  })

  describe('in a gateway at work:', () => {
    beforeAll(async () => {
      played = await playSessions(stage.client, stage.gateway.url)
    })

    test.each(scenes)('$name', async (scene) => {
      expect(await findViolations(await visitors.visit(scene, played))).toEqual([])
    })

    test('a link that signs in as somebody else', async () => {
      const page = await stage.open('/')
      await page.locator('.header-who').waitFor()
      const { key } = addKey(join(stage.gateway.data, 'keys.json'), {
        subject: 'eve',
        grants: ['*:*'],
        createdAt: Date.now(),
      })
      await page.evaluate(`location.hash = 'token=${key}'`)
      await page.getByRole('dialog', { name: 'Sign in as somebody else?' }).waitFor()
      expect(await findViolations(page)).toEqual([])
    })

    test(offlineScene.name, async () => {
      const page = await stage.open(offlineScene.path(played))
      await page.locator('.connection[data-status="live"]').waitFor()
      await stage.gateway.kill()
      await offlineScene.arrange(page, played)
      expect(await findViolations(page)).toEqual([])
    })

    test('and no error or breach of policy came with it', () => expect(stage.faults).toEqual([]))
  })
})
