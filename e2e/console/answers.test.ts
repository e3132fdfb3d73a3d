import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PlayedAgent, playAgent } from './publish-text.ts'
import { chromium, openStage, type Stage } from './stage.ts'

const notCounted = 'This question was already closed; your answer did not count.'

describe.skipIf(chromium === undefined)('the answer to a question', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(async () => {
    await stage?.close()
  })

  /** An agent that asks, and a page that shows the question. */
  const ask = async (): Promise<{ agent: PlayedAgent; token: string; page: Page }> => {
    const agent = await playAgent(stage.client)
    const token = `go-${agent.session}`
    await agent.say({ kind: 'question-open', question: 'confirmation', token, text: 'Go on?' })
    const page = await stage.open(`/sessions/${agent.session}`)
    await page.getByRole('button', { name: 'Accept' }).waitFor()
    return { agent, token, page }
  }

  test('is told politely when it did not count, with the answer that did', async () => {
    const { agent, token, page } = await ask()
    const notice = page.locator('[data-part="notice"][role="status"]')
    expect(await notice.textContent()).toBe('')
    await page.route('**/answers', async (route) => {
      await stage.client.answer(agent.session, { token, decision: 'accept' })
      await route.continue()
    })
    await page.getByRole('button', { name: 'Reject' }).click()
    await notice.getByText(notCounted, { exact: true }).waitFor()
    await page.getByText('Answered elsewhere: Accept, by local.', { exact: true }).waitFor()
    expect(await page.locator('[data-part="notice"]').count()).toBe(1)
    await agent.end()
  })

  test('is not claimed as one of this page when it did not count', async () => {
    const { agent, token, page } = await ask()
    await page.route('**/answers', async (route) => {
      await agent.say({ kind: 'question-close', token, how: 'answered', decision: 'accept' })
      await route.continue()
    })
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByText(notCounted, { exact: true }).waitFor()
    await page.getByText('The agent says that somebody answered: Accept.', { exact: true }).waitFor()
    expect(await page.getByText('You answered').count()).toBe(0)
    await agent.end()
  })

  test('is a claim when only the agent reports it, whatever name it gives', async () => {
    const { agent, token, page } = await ask()
    await agent.say({ kind: 'question-close', token, how: 'answered', decision: 'accept', by: 'local' })
    await page.getByText('The agent says that local answered: Accept.', { exact: true }).waitFor()
    await page.locator('.asked dd[data-claimed]', { hasText: 'Accept, by local, says the agent' }).waitFor()
    expect(await page.getByText(/Answered elsewhere/).count()).toBe(0)
    await page.getByRole('link', { name: 'Timeline' }).click()
    await page.locator('.timeline-row', { hasText: 'accept, by local, says the agent' }).waitFor()
    expect(await stage.client.questions(agent.session)).toMatchObject([
      { decision: 'accept', claimed: true, claimedBy: 'local' },
    ])
    await agent.end()
  })

  test('causes no error and breaks no policy', () => expect(stage.faults).toEqual([]))
})
