import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rounds } from '../testing/rounds.ts'
import { until } from '../testing/until.ts'
import { type PlayedSessions, playSessions } from './played-sessions.ts'
import { playAgent } from './publish-text.ts'
import { refuse } from './scenes.ts'
import { chromium, type OpenOptions, openStage, type Stage } from './stage.ts'
import { findJumps, focusedName, listControls, walkFocus } from './walk-focus.ts'

describe.skipIf(chromium === undefined)('with the keyboard alone', () => {
  let stage: Stage
  let played: PlayedSessions
  beforeAll(async () => {
    stage = await openStage()
    played = await playSessions(stage.client, stage.gateway.url)
  })
  afterAll(async () => {
    await stage?.close()
  })

  const places: readonly (readonly [string, () => string, string])[] = [
    ['home', () => '/', '.live-card .md-text'],
    ['a session', () => `/sessions/${played.working.session}`, '.answer table'],
    ['questions', () => `/sessions/${played.asking.session}`, '[data-part="form"]'],
    ['an opened entry', () => `/sessions/${played.broken}?seq=1`, '.entry > .json'],
    ['charts', () => `/sessions/${played.working.session}?part=charts`, '.chart-call'],
    ['a conversation', () => `/conversations/${played.conversation}`, '.turn .follow-up'],
  ]
  const allLooks: readonly OpenOptions[] = [{}, { width: 320, height: 640 }, { forcedColors: true }]
  const looks = rounds > 1 ? allLooks : allLooks.slice(0, 1)

  test.each(places)(
    'Tab reaches all of %s in the order that is seen, and is seen',
    async (_, path, there) => {
      for (const look of looks) {
        const page = await stage.open(path(), look)
        await page.locator(there).first().waitFor()
        const steps = await walkFocus(page)
        expect(steps.flatMap(({ name, trouble }) => (trouble === '' ? [] : [`${name} ${trouble}`]))).toEqual(
          [],
        )
        expect(steps.map(({ name }) => name)).toEqual(await page.evaluate(listControls))
        expect(findJumps(steps)).toEqual([])
        await page.close()
      }
    },
  )

  test('the first step leads past what all pages begin with', async () => {
    const page = await stage.open(`/sessions/${played.completed}`)
    await page.getByText('The agent has finished.').waitFor()
    await page.keyboard.press('Tab')
    expect(await focusedName(page)).toBe('A Skip to the content')
    await page.keyboard.press('Enter')
    await until(() => isAtContent(page))
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.closest('main')?.id)).toBe('main')
  })

  test('a link to another session leads to its beginning, and back again', async () => {
    const page = await stage.open(`/sessions/${played.completed}`)
    await page
      .getByRole('link', { name: /^Ask me everything/ })
      .first()
      .focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Ask me everything.' }).waitFor()
    expect(await isAtContent(page)).toBe(true)
    await until(async () => (await page.title()).includes('Ask me everything.'))
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'A day at the lake.' }).waitFor()
    expect(await isAtContent(page)).toBe(true)
  })

  test('keys choose entries of the timeline, open them and stay where they are', async () => {
    const agent = await playAgent(stage.client, 'Count.')
    for (let n = 1; n < 60; n++) void agent.text(`${n} `)
    await agent.end()
    const page = await stage.open(`/sessions/${agent.session}?part=timeline`)
    await page.getByText('61 entries').waitFor()
    await page.getByRole('listbox', { name: 'Entries' }).focus()
    const press = async (key: string, seq: number): Promise<void> => {
      await page.keyboard.press(key)
      await page.getByRole('heading', { name: `Entry ${seq}`, exact: true }).waitFor()
      const option = page.locator('[role="option"][aria-selected="true"]')
      await until(async () => (await option.getAttribute('aria-posinset')) === String(seq + 1))
      const active = await page.evaluate(() => document.activeElement?.getAttribute('aria-activedescendant'))
      expect(active).toBe(await option.getAttribute('id'))
      await until(() => isInView(page))
      expect(new URL(page.url()).searchParams.get('seq')).toBe(String(seq))
    }
    await press('Home', 0)
    await press('ArrowDown', 1)
    await press('ArrowDown', 2)
    await press('ArrowUp', 1)
    await press('End', 60)
    await press('ArrowDown', 60)
    await press('ArrowUp', 59)
    await page.keyboard.press('PageUp')
    await until(() => seqOf(page) < 56)
    await press('PageDown', 59)
    await press('Home', 0)
    await press('PageUp', 0)
    await page.getByRole('button', { name: 'To the newest entry' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'To the newest entry' }).waitFor({ state: 'detached' })
    expect(await focusedName(page)).toBe('DIV Entries')
  })

  test('the buttons of an entry keep the focus from entry to entry, and give it back to the list', async () => {
    const page = await stage.open(`/sessions/${played.completed}?seq=0`)
    await page.getByRole('button', { name: 'Next' }).focus()
    for (const seq of [1, 2, 2]) {
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: `Entry ${seq}`, exact: true }).waitFor()
      expect(await focusedName(page)).toBe('BUTTON Next')
    }
    await page.getByRole('region', { name: 'Entry 2' }).getByRole('button', { name: 'Close' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Entry 2' }).waitFor({ state: 'detached' })
    expect(await focusedName(page)).toBe('DIV Entries')
  })

  test('arrows move through the past, and to now', async () => {
    const page = await stage.open(`/sessions/${played.completed}`)
    const slider = page.getByRole('slider', { name: /entry/i })
    await slider.focus()
    await page.keyboard.press('ArrowLeft')
    await page.getByText('As it was after entry 1 of 2').waitFor()
    expect(await slider.getAttribute('aria-valuetext')).toBe('As it was after entry 1 of 2')
    await page.keyboard.press('Home')
    await page.getByText('As it was after entry 0 of 2').waitFor()
    await page.keyboard.press('End')
    await page.getByText('Now, entry 2').waitFor()
    await page.getByRole('button', { name: 'One entry back' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('As it was after entry 1 of 2').waitFor()
    await page.getByRole('button', { name: 'Now' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Now, entry 2').waitFor()
    expect(await focusedName(page)).toBe('BUTTON Now')
  })

  test.each([
    ['Settings', 'Enter'],
    ['Keys', '?'],
  ])('the dialog %s keeps the focus inside, and gives it back', async (name, key) => {
    const page = await stage.open(`/sessions/${played.completed}`)
    const dialog = page.getByRole('dialog', { name })
    await page.getByRole('button', { name, exact: true }).focus()
    await page.keyboard.press(key)
    await dialog.waitFor()
    const isInside = () => page.evaluate(() => document.activeElement?.closest('dialog[open]') !== null)
    const controls = await dialog.locator('button, input, select').count()
    for (let n = 0; n < 2 * controls; n++) {
      // After the last control comes the browser itself, then the first one again.
      const isBrowser = await page.evaluate(() => document.activeElement === document.body)
      expect(isBrowser || (await isInside())).toBe(true)
      await page.keyboard.press(n < controls ? 'Tab' : 'Shift+Tab')
    }
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect(await focusedName(page)).toBe(`BUTTON ${name}`)
  })

  test('who signs in or out is at the beginning of the content', async () => {
    const page = await stage.open('/', { isAnonymous: true })
    await page.route('**/v1/login', (route) => refuse(route, 401, 'unauthenticated'))
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.unrouteAll()
    await page.getByLabel('Key or token').focus()
    await page.keyboard.type(stage.gateway.localKey)
    await page.keyboard.press('Enter')
    await page.getByText('At work now').waitFor()
    await until(() => isAtContent(page))
    await page.getByRole('button', { name: 'Sign out' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'detached' })
    expect(await isAtContent(page)).toBe(true)
  })

  test('no error and no breach of policy', () => expect(stage.faults).toEqual([]))
})

/** Whether the focus is at the start of the content that differs from page to page. */
function isAtContent(page: Page): Promise<boolean> {
  return page.evaluate(() => document.activeElement?.id === 'main')
}

/** Whether the selected entry is in the visible part of the list. */
function isInView(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const list = document.querySelector('[role="listbox"]')?.getBoundingClientRect()
    const row = document.querySelector('[role="option"][aria-selected="true"]')?.getBoundingClientRect()
    return list !== undefined && row !== undefined && row.top >= list.top - 1 && row.bottom <= list.bottom + 1
  })
}

const seqOf = (page: Page): number => Number(new URL(page.url()).searchParams.get('seq'))
