import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../testing/until.ts'
import { questionsOf } from './played-sessions.ts'
import { type PlayedAgent, playAgent } from './publish-text.ts'
import { chromium, openStage, type Stage } from './stage.ts'
import { focusedName } from './walk-focus.ts'

const questionCount = questionsOf('').length
const everyKey = 'q/rswlyn12?'

describe.skipIf(chromium === undefined)('single keys', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(async () => {
    await stage?.close()
  })

  /** A session with questions of every kind, and its page. */
  async function ask(): Promise<{ readonly agent: PlayedAgent; readonly page: Page }> {
    const agent = await playAgent(stage.client, 'Ask me everything.')
    await agent.say(...questionsOf(agent.session))
    const page = await stage.open(`/sessions/${agent.session}`)
    await openQuestions(page)
      .nth(questionCount - 1)
      .waitFor()
    return { agent, page }
  }
  const openQuestions = (page: Page) => page.locator('[data-part="question"][data-state="open"]')

  test('answer questions of every kind, and the focus is never lost', async () => {
    const { page } = await ask()
    const answer = async (told: string, ...keys: readonly string[]): Promise<void> => {
      const left = (await openQuestions(page).count()) - 1
      await page.keyboard.press('q')
      for (const key of keys) await page.keyboard.press(key)
      await page.getByText(`You answered: ${told}.`).first().waitFor()
      await until(async () => (await openQuestions(page).count()) === left)
      const part = await page.evaluate(() => document.activeElement?.getAttribute('data-part'))
      expect(part).toBe('question')
    }
    await answer('Reject', 'n')
    await answer('By bus', '2')
    await answer('here', 'Tab', 'h', 'e', 'r', 'e', 'Enter')
    await answer('3', 'Tab', '3', 'Tab', ' ')
    await answer('Accept', 'Tab', 'Enter')
  })

  test('a focus on an answer is not lost when somebody else answers', async () => {
    const { agent, page } = await ask()
    await page.getByRole('button', { name: 'By bus' }).focus()
    await stage.client.answer(agent.session, { token: `choice-${agent.session}`, response: 'train' })
    await page.getByText(/^Answered elsewhere/).waitFor()
    expect(await focusedName(page)).toContain('How do you want to travel?')
  })

  test('typed into fields are text and nothing else', async () => {
    const { page } = await ask()
    for (const label of [
      'Your answer',
      'Your answer, a number',
      'Send the agent a message',
      'Search sessions by request, agent, id or label',
    ]) {
      const field = page.getByLabel(label, { exact: true })
      await field.focus()
      await page.keyboard.type(everyKey)
      expect(await field.inputValue()).toBe(everyKey)
      expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
    }
    expect(await page.locator('dialog[open]').count()).toBe(0)
    expect(await openQuestions(page).count()).toBe(questionCount)
  })

  test('do nothing when they are turned off', async () => {
    const { page } = await ask()
    await page.getByRole('button', { name: 'Settings' }).click()
    const keys = page.getByRole('dialog').getByLabel('Single keys act outside of fields')
    await keys.uncheck()
    await page.keyboard.press('Escape')
    for (const place of [
      page.getByRole('button', { name: 'Settings' }),
      page.getByRole('button', { name: 'By bus' }),
    ]) {
      await place.focus()
      await page.keyboard.type(everyKey)
      expect(await place.evaluate((element) => element === document.activeElement)).toBe(true)
    }
    expect(await page.locator('dialog[open]').count()).toBe(0)
    expect(await openQuestions(page).count()).toBe(questionCount)
    expect(await page.locator('[data-part="key"], [aria-keyshortcuts]').count()).toBe(0)
    // They act again as soon as they are turned on.
    await page.getByRole('button', { name: 'Settings' }).click()
    await keys.check()
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  })

  test('lead to the search and to the question, and a stopped agent leaves the focus in the page', async () => {
    const { agent, page } = await ask()
    await page.keyboard.press('/')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search')
    await page.getByRole('button', { name: 'Stop the agent' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Stopping…' }).waitFor()
    await agent.say({ kind: 'session-end', outcome: 'cancelled' })
    await page.getByText('The agent was stopped.').first().waitFor()
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
  })

  test('no error and no breach of policy', () => expect(stage.faults).toEqual([]))
})
