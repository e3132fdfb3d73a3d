import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../testing/until.ts'
import { playAgent } from './publish-text.ts'
import { chromium, openStage, type Stage } from './stage.ts'

/** The platform's notifications, recorded for the test, and a tab that can be hidden. */
const watchedPlatform = `
  globalThis.notified = []
  globalThis.Notification = class {
    static permission = 'default'
    static async requestPermission() { return (Notification.permission = 'granted') }
    constructor(title, options) { globalThis.notified.push(title + ': ' + options.body) }
    close() {}
  }
  Object.defineProperty(document, 'hidden', { get: () => globalThis.isAway === true })
`

describe.skipIf(chromium === undefined)('the sessions of a gateway', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(async () => {
    await stage?.close()
  })

  test('a gateway without one says what to do, and shows the first when it comes', async () => {
    const page = await stage.open('/')
    await page.getByText('Nothing has happened here yet').waitFor()
    await page.getByText("npx sluice run demo 'plan a weekend trip'").waitFor()
    const agent = await playAgent(stage.client, 'The very first request')
    await agent.text('It begins.')
    await page.locator('.session-row', { hasText: 'The very first request' }).waitFor()
    await page.locator('.live-card', { hasText: 'It begins.' }).waitFor()
    await agent.end()
    await page.locator('.session-row', { hasText: 'Completed' }).waitFor()
  })

  test('are found by text and by state', async () => {
    const one = await playAgent(stage.client, 'Feed the otters')
    const two = await playAgent(stage.client, 'Walk the badger')
    await two.end()
    const page = await stage.open('/')
    const rows = page.locator('.session-row')
    await rows.filter({ hasText: 'Feed the otters' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('BADGER')
    await until(async () => (await rows.count()) === 1)
    expect(await rows.textContent()).toContain('Walk the badger')
    await page.getByRole('searchbox', { name: /search sessions/i }).fill('')
    await page.getByRole('radio', { name: 'At work' }).check()
    await rows.filter({ hasText: 'Feed the otters' }).waitFor()
    await until(async () => (await rows.filter({ hasText: 'Walk the badger' }).count()) === 0)
    // A session that no longer matches leaves the list by itself.
    await one.end()
    await until(async () => (await rows.filter({ hasText: 'Feed the otters' }).count()) === 0)
  })

  test('are stopped, and followed up in one conversation', async () => {
    const page = await stage.open('/')
    await page.getByLabel('What should it do?').fill('Fix the failing test, quiet and slow')
    await page.getByRole('button', { name: 'Start' }).click()
    await page.waitForURL('**/sessions/*')
    await page.getByRole('button', { name: 'Stop the agent' }).click()
    await page.locator('.end[data-outcome="cancelled"]').waitFor()
    const first = page.url()
    await page.getByLabel('Follow up in this conversation').fill('Again, fast and quiet')
    await page.getByRole('button', { name: 'Follow up' }).click()
    await until(() => page.url() !== first)
    await page.locator('.end[data-outcome="completed"]').waitFor()
    await page.getByRole('link', { name: 'The whole conversation' }).click()
    await page.getByRole('heading', { name: 'Fix the failing test, quiet and slow' }).waitFor()
    await page.getByRole('heading', { name: 'Again, fast and quiet' }).waitFor()
    expect(await page.locator('.turn').count()).toBe(2)
  })

  test('tell of questions while the tab is hidden, if that is wanted', async () => {
    const page = await stage.open('/', { script: watchedPlatform })
    const agent = await playAgent(stage.client, 'Ask me later')
    const ask = (token: string, text: string) =>
      agent.say({ kind: 'question-open', question: 'confirmation', token, text })
    const notified = () => page.evaluate('globalThis.notified') as Promise<string[]>
    await page.evaluate('globalThis.isAway = true')
    await ask('tok_silent', 'Unwanted?')
    await page.locator('.header-waiting').waitFor()
    expect(await notified()).toEqual([])
    await agent.say({ kind: 'question-close', token: 'tok_silent', how: 'cancelled' })
    await page.locator('.header-waiting').waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByLabel('Notify me of questions while this tab is hidden').check()
    await page.keyboard.press('Escape')
    await ask('tok_told', 'Wanted?')
    await until(async () => (await notified()).length > 0)
    expect(await notified()).toEqual(['Played agent asks you something: Ask me later'])
    expect(await page.title()).toMatch(/^\(1\) /)
    await agent.end()
  })

  test('cause no error and break no policy', () => expect(stage.faults).toEqual([]))
})
