import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishText } from '../testing/publish.ts'
import { chromium, openStage, type Stage } from './stage.ts'

const good = '{"type":"answer_chunk","data":{"content":"One. "}}'
const bad = '{"type":"tool_result","data":{"tool":"nobody","output":1}}'

describe.skipIf(chromium === undefined)('a session whose entries have findings', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(async () => {
    await stage?.close()
  })

  test('counts them in its head while they come, and leads to the timeline by keyboard', async () => {
    const publish = (text: string) =>
      publishText(stage.gateway.url, 'sess_found', { dialect: 'stream-event', text })
    await publish(good)
    const page = await stage.open('/sessions/sess_found')
    await page.locator('.connection[data-status="live"]').waitFor()
    expect(await page.locator('.session-header .badge-bad').count()).toBe(0)
    await publish(bad)
    await page.getByRole('link', { name: '1 finding', exact: true }).waitFor()
    await publish(bad)
    const badge = page.getByRole('link', { name: '2 findings', exact: true })
    await badge.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await page.locator('.timeline-row', { hasText: '1 finding' }).first().waitFor()
  })

  test('shows those from before the page was opened, in its row and in its head', async () => {
    const session = 'sess_foundearlier'
    await publishText(stage.gateway.url, session, { dialect: 'stream-event', text: bad })
    await publishText(stage.gateway.url, session, { dialect: 'stream-event', text: good })
    await publishText(stage.gateway.url, session, { dialect: 'stream-event', text: bad })
    const page = await stage.open(`/sessions/${session}`)
    await page.locator('.connection[data-status="live"]').waitFor()
    await page.locator('.session-header').getByRole('link', { name: '2 findings', exact: true }).waitFor()
    const row = page.locator(`.session-row:has(a[href="/sessions/${session}"])`)
    await row.locator('.badge-bad', { hasText: /^2 findings$/ }).waitFor()
    await publishText(stage.gateway.url, session, { dialect: 'stream-event', text: bad })
    await page.locator('.session-header').getByRole('link', { name: '3 findings', exact: true }).waitFor()
    await row.locator('.badge-bad', { hasText: /^3 findings$/ }).waitFor()
  })

  test('causes no error and breaks no policy', () => expect(stage.faults).toEqual([]))
})
