import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromium, openStage, type Stage } from './stage.ts'

describe.skipIf(chromium === undefined)('a person with the console', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(async () => {
    await stage?.close()
  })

  /** Asks the demo agent on the first page, and waits for the page of its session. */
  async function ask(page: Page, prompt: string): Promise<string> {
    await page.getByLabel('What should it do?').fill(prompt)
    await page.getByRole('button', { name: 'Start' }).click()
    await page.waitForURL('**/sessions/*')
    return new URL(page.url()).pathname.split('/').at(-1) ?? ''
  }

  test('starts a run, answers it by keyboard alone, and sees it complete', async () => {
    const page = await stage.open('/')
    expect(new URL(page.url()).hash).toBe('')
    await ask(page, 'A weekend trip, fast please.')

    const choice = page.getByRole('region', { name: /where|which|what/i }).first()
    await choice.waitFor()
    await page.keyboard.press('q')
    await page.keyboard.press('1')
    const confirmation = page.locator('[data-part="question"][data-risk]').first()
    await confirmation.waitFor()
    await expect.poll(() => confirmation.textContent()).toContain('Without an answer: Reject')
    await page.keyboard.press('q')
    await page.keyboard.press('y')
    await page.getByText('You answered: Accept.').first().waitFor()
    await page.locator('.end', { hasText: 'The agent has finished.' }).waitFor()
    await page.locator('.session-header .status', { hasText: 'Completed' }).waitFor()
  })

  test('says who answered when that was somebody else', async () => {
    const first = await stage.open('/')
    const session = await ask(first, 'A weekend trip, fast please.')
    const second = await stage.open(`/sessions/${session}`)
    const button = second
      .getByRole('button', { name: /./ })
      .and(second.locator('[data-part="answer"]'))
      .first()
    await button.click()
    await first
      .getByText(/Answered elsewhere: .*, by local\./)
      .first()
      .waitFor()
    await first.locator('[data-part="question"][data-state="open"][data-risk]').waitFor()
    await second.locator('[data-part="answer"][data-tone="no"]').click()
    await first.getByText('Answered elsewhere: Reject, by local.').waitFor()
    await first.locator('.end', { hasText: 'The agent has finished.' }).waitFor()
  })

  test('does not lose the focus to a question while typing', async () => {
    const page = await stage.open('/')
    const session = await ask(page, 'A weekend trip please.')
    const field = page.getByLabel('Send the agent a message')
    await field.click()
    await field.pressSequentially('abcdefghij', { delay: 10 })
    await page.locator('[data-part="question"][data-state="open"]').waitFor()
    await field.pressSequentially('qyn1?')
    expect(await field.inputValue()).toBe('abcdefghijqyn1?')
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA')
    await stage.client.cancel(session)
    await page.locator('.end').waitFor()
  })

  test('has caused no error and broken no policy', () => {
    expect(stage.faults).toEqual([])
  })
})
