import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../testing/until.ts'
import { playAgent } from './publish-text.ts'
import { chromium, openStage, type Stage } from './stage.ts'

describe.skipIf(chromium === undefined)('a page whose gateway is killed', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(async () => {
    await stage?.close()
  })

  test('says so, comes back by itself, and goes on without a missing or doubled character', async () => {
    const agent = await playAgent(stage.client)
    const words = Array.from({ length: 300 }, (_, n) => `word${n} `)
    const page = await stage.open(`/sessions/${agent.session}`)
    const answer = page.locator('.answer')
    const shown = async (): Promise<string> =>
      ((await answer.textContent()) ?? '').replace(/\s+/g, ' ').trim()

    for (const word of words.slice(0, 100)) await agent.text(word)
    await until(async () => (await shown()).endsWith('word99'))
    await stage.gateway.kill()
    await page.locator('.connection', { hasText: 'Offline, trying again' }).waitFor()
    const later = Promise.all(words.slice(100, 200).map((word) => agent.text(word)))
    await stage.gateway.restart()
    await later
    await page.locator('.connection', { hasText: 'Reconnected' }).waitFor()
    await until(async () => (await shown()).endsWith('word199'))

    // Once more, while events are being sent.
    const last = Promise.all(words.slice(200).map((word) => agent.text(word)))
    await stage.gateway.kill()
    await stage.gateway.restart()
    await last
    await agent.end()
    await page.locator('.end').waitFor()
    expect(await shown()).toBe(words.join('').trim())
    expect(stage.faults).toEqual([])
  })
})
