import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../testing/until.ts'
import { type PlayedAgent, playAgent } from './publish-text.ts'
import { chromium, openStage, type Stage } from './stage.ts'

const count = 60

describe.skipIf(chromium === undefined)('looking back', () => {
  let stage: Stage
  let agent: PlayedAgent
  beforeAll(async () => {
    stage = await openStage()
    agent = await playAgent(stage.client, 'Count for me.')
    await Promise.all(Array.from({ length: count }, (_, n) => agent.text(`${n + 1} `)))
    await agent.say({ kind: 'tool-call', call: 'c', tool: 'search', args: { q: 'needle' } })
    await agent.say({ kind: 'tool-result', call: 'c', tool: 'search', status: 'success', result: 'found' })
    await agent.end()
  })
  afterAll(async () => {
    await stage?.close()
  })

  const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1).join(' ')

  test('the slider shows the session as it was, by keyboard', async () => {
    const page = await stage.open(`/sessions/${agent.session}`)
    const answer = page.locator('.answer')
    const shown = async () => ((await answer.textContent()) ?? '').trim()
    await until(async () => (await shown()) === upTo(count))
    const slider = page.getByRole('slider', { name: /entry/i })
    await slider.focus()
    await page.keyboard.press('Home')
    await page.getByText('As it was after entry 0 of').waitFor()
    for (let n = 0; n < 30; n++) await page.keyboard.press('ArrowRight')
    await until(async () => (await shown()) === upTo(30))
    expect(new URL(page.url()).searchParams.get('at')).toBe('30')
    await page.keyboard.press('Tab')
    await page.keyboard.press('l')
    await until(async () => (await shown()) === upTo(count))
    expect(new URL(page.url()).searchParams.get('at')).toBeNull()
  })

  test('a link opens the session as it was', async () => {
    const page = await stage.open(`/sessions/${agent.session}?at=10`)
    await until(async () => ((await page.locator('.answer').textContent()) ?? '').trim() === upTo(10))
  })

  test('a replay plays to the end', async () => {
    const page = await stage.open(`/sessions/${agent.session}?at=${count - 5}`)
    await page.getByText(`As it was after entry ${count - 5}`).waitFor()
    await page.getByLabel('Speed of the replay').selectOption('16')
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByText(/^Now, entry/).waitFor()
  })

  test('a link opens an entry, as received and in each dialect', async () => {
    const page = await stage.open(`/sessions/${agent.session}?seq=${count + 1}`)
    const panel = page.getByRole('region', { name: `Entry ${count + 1}` })
    await panel.getByText('Tool', { exact: true }).waitFor()
    await page.locator('[role="option"][aria-selected="true"]', { hasText: 'search' }).waitFor()
    await panel.getByLabel('Dialect', { exact: true }).selectOption('aaep')
    await panel.getByText('tool-call.args').waitFor()
    await panel.getByLabel('Dialect', { exact: true }).selectOption('stream-event')
    await panel.getByText('Nothing is lost.').waitFor()
    expect(await panel.getByRole('group', { name: /stream-event, cursor/ }).textContent()).toContain('needle')
    await panel.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('region', { name: `Entry ${count + 2}` }).waitFor()
  })

  test('no error and no breach of policy', () => expect(stage.faults).toEqual([]))
})
