import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../testing/until.ts'
import { hearingScript, textsOn, untilHeard } from './hear-page.ts'
import { joined } from './listen-page.ts'
import { type PlayedAgent, playAgent } from './publish-text.ts'
import { chromium, openStage, type Stage } from './stage.ts'

/** A voice in place of the platform's: it starts each text at once, and ends it when the test says so. */
const voiceScript = `
  globalThis.voice = { begun: [], spoken: [], current: undefined }
  Object.defineProperty(globalThis, 'speechSynthesis', {
    value: {
      speak(utterance) {
        voice.begun.push(utterance.text)
        voice.current = utterance
        queueMicrotask(() => utterance.onstart?.(new Event('start')))
      },
      cancel() {
        voice.current = undefined
      },
      resume() {},
    },
  })
`

interface Voice {
  readonly begun: readonly string[]
  readonly spoken: string[]
  current: SpeechSynthesisUtterance | undefined
}

const voiceOf = (page: Page): Promise<Pick<Voice, 'begun' | 'spoken'>> =>
  page.evaluate(() => {
    const { begun, spoken } = (globalThis as unknown as { voice: Voice }).voice // made by the script above
    return { begun, spoken }
  })

/** Lets the voice finish what it is saying. */
const finishText = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const { voice } = globalThis as unknown as { voice: Voice } // made by the script above
    const { current } = voice
    if (current === undefined) return
    voice.current = undefined
    voice.spoken.push(current.text)
    current.onend?.(new Event('end') as SpeechSynthesisEvent)
  })

describe.skipIf(chromium === undefined)('the voice of the browser', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(async () => {
    await stage?.close()
  })

  /** A session with speech switched on. */
  async function speak(): Promise<{ readonly agent: PlayedAgent; readonly page: Page }> {
    const agent = await playAgent(stage.client)
    const page = await stage.open(`/sessions/${agent.session}`, { script: hearingScript + voiceScript })
    await untilHeard(page, joined)
    await page.getByText('How it sounds').click()
    await page.locator('.listening').getByLabel('Let this browser speak it').check()
    return { agent, page }
  }
  const liveOf = (page: Page): Promise<readonly (string | null)[]> =>
    page.evaluate(() =>
      [...document.querySelectorAll('[data-part="polite"], [data-part="assertive"]')].map((region) =>
        region.getAttribute('aria-live'),
      ),
    )
  const begun = async (page: Page, text: string): Promise<void> =>
    until(async () => (await voiceOf(page)).begun.at(-1)?.startsWith(text) === true)

  test('says each sentence once, a question first, while the live regions are off', async () => {
    const { agent, page } = await speak()
    await agent.text('One. Two. Three. ')
    await begun(page, 'One.')
    expect(await liveOf(page)).toEqual(['off', 'off'])
    const token = `ask-${agent.session}`
    await agent.say({ kind: 'question-open', question: 'confirmation', token, text: 'Go on?' })
    await begun(page, 'Question: Go on?')
    for (const next of ['One.', 'Two.', 'Three.']) {
      await finishText(page)
      await begun(page, next)
    }
    await finishText(page)
    await agent.end()
    await begun(page, 'The agent has finished.')
    await finishText(page)
    const { spoken } = await voiceOf(page)
    expect(spoken).toEqual([
      expect.stringMatching(/^Question: Go on\?/),
      'One.',
      'Two.',
      'Three.',
      'The agent has finished.',
    ])
    expect(await liveOf(page)).toEqual(['off', 'off'])
  })

  test('can be made to skip, to repeat and to say where the session stands', async () => {
    const { agent, page } = await speak()
    await agent.text('One. Two. Three. Four. ')
    await begun(page, 'One.')
    await untilHeard(page, 'Four.')
    await page.keyboard.press('r')
    await until(async () => (await voiceOf(page)).begun.length === 2)
    await page.keyboard.press('w')
    await begun(page, 'Played agent. Writing. 3 lines behind.')
    await finishText(page)
    await begun(page, 'One.')
    await page.keyboard.press('s')
    await agent.end()
    await begun(page, 'The agent has finished.')
    await finishText(page)
    expect((await voiceOf(page)).spoken).toEqual([
      'Played agent. Writing. 3 lines behind.',
      'The agent has finished.',
    ])
  })

  test('leaves to the live regions what it has not said when it is switched off', async () => {
    const { agent, page } = await speak()
    await agent.text('One. Two. ')
    await begun(page, 'One.')
    await untilHeard(page, 'Two.')
    const before = await textsOn(page)
    await page.locator('.listening').getByLabel('Let this browser speak it').uncheck()
    await until(async () => (await textsOn(page)).length === before.length + 2)
    expect((await textsOn(page)).slice(before.length)).toEqual(['One.', 'Two.'])
    expect(await liveOf(page)).toEqual(['polite', 'assertive'])
    await agent.end()
  })

  test('and causes no error and no breach of policy', () => expect(stage.faults).toEqual([]))
})
