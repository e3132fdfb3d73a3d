import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../testing/until.ts'
import { heardOn, textsOn, untilHeard } from './hear-page.ts'
import { finished, joined, listenPage } from './listen-page.ts'
import { chromium, openStage, type Stage } from './stage.ts'

describe.skipIf(chromium === undefined)('a screen reader', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(async () => {
    await stage?.close()
  })

  test('hears other lengths as soon as they are chosen', async () => {
    const { agent, page } = await listenPage(stage)
    await page.getByText('How it sounds').click()
    const verbosity = page.locator('.listening').getByLabel('How much is told')
    let calls = 0
    /** Calls one tool after another until one is announced at this length. */
    const untilTold = async (length: 'terse' | 'detailed'): Promise<void> => {
      await until(async () => {
        calls += 1
        const call = `call ${calls}`
        const summaries = {
          terse: `${call} terse.`,
          normal: `${call} normal.`,
          detailed: `${call} detailed.`,
        }
        await agent.say({ kind: 'tool-call', call, tool: 'search', meta: { summaries } })
        await untilHeard(page, call)
        return (await textsOn(page)).includes(`${call} ${length}.`)
      })
    }
    await verbosity.selectOption('terse')
    await untilTold('terse')
    await verbosity.selectOption('detailed')
    await untilTold('detailed')
    const texts = await textsOn(page)
    expect(texts).toHaveLength(calls + 1)
    await agent.end()
  })

  test('hears nothing more when it is switched off, and goes on from there when it is on again', async () => {
    const { agent, page } = await listenPage(stage)
    const announce = page.getByLabel('Announce', { exact: true })
    await announce.uncheck()
    await agent.text('Unheard. ')
    await page.locator('.answer').getByText('Unheard.').waitFor()
    await announce.check()
    await until(async () => (await textsOn(page)).length === 2)
    await agent.text('Heard.')
    await agent.end()
    await untilHeard(page, finished)
    expect(await textsOn(page)).toEqual([joined, 'The agent is writing its answer.', 'Heard.', finished])
  })

  test('hears with a key what was told last, and where the session stands', async () => {
    const { agent, page } = await listenPage(stage)
    await agent.text('One sentence. ')
    await untilHeard(page, 'One sentence.')
    const pressed: readonly (readonly [string, string])[] = [
      ['r', 'One sentence.'],
      ['w', 'Played agent. Writing.'],
      ['r', 'One sentence.'],
    ]
    for (const [key, text] of pressed) {
      const before = await heardOn(page)
      await page.keyboard.press(key)
      await until(async () => (await heardOn(page)).length > before.length)
      expect(await heardOn(page)).toEqual([...before, { region: 'polite', live: 'polite', text }])
    }
    // Nothing is waiting to be spoken.
    await page.keyboard.press('s')
    await agent.end()
    await untilHeard(page, finished)
  })

  test('is told nothing by anything else on the page', async () => {
    const { agent, page } = await listenPage(stage)
    await agent.say({
      kind: 'question-open',
      question: 'clarification',
      token: `what-${agent.session}`,
      text: 'What now?',
    })
    await agent.text('A **sentence** to hear. ')
    await untilHeard(page, 'A sentence to hear.')
    await page.getByRole('log', { name: 'Answer' }).getByText('to hear.').waitFor()
    const regions = await page.evaluate(() =>
      [...document.querySelectorAll('[aria-live], [role="log"], [role="status"], [role="alert"], output')]
        .filter((element) => element.getAttribute('aria-live') !== 'off')
        .map(
          (element) => `${element.getAttribute('data-part') ?? element.className}: ${element.textContent}`,
        ),
    )
    expect(regions).toEqual([
      'access-trouble: ',
      'visually-hidden: ',
      'notice: ',
      `polite: ${joined}A sentence to hear.`,
      'assertive: Question: What now?',
    ])
    expect(await page.locator('.answer').getAttribute('aria-live')).toBe('off')
    expect(
      await page.locator('[data-part="question"] [aria-live], [data-part="question"][aria-live]').count(),
    ).toBe(0)
    await agent.end()
  })

  test('and meets no error and no breach of policy', () => expect(stage.faults).toEqual([]))
})
