import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rounds } from '../testing/rounds.ts'
import { until } from '../testing/until.ts'
import { type Heard, heardOn, hearingScript, textsOn, untilHeard } from './hear-page.ts'
import { finished, joined, listenPage } from './listen-page.ts'
import { chromium, openStage, type Stage } from './stage.ts'

const sentences = [
  'Dr. Who paid 3.14 euros.',
  'Was it late?',
  'The file main.ts is new!',
  'Grüße 👩‍👩‍👧 an alle.',
  'Nobody knows (or tells) why; it is so.',
  'A sentence that goes on for quite a while, so that it does not fit into one piece, and then some more of it.',
]

/** Whole sentences, in pieces that end anywhere. */
const publishedText = fc
  .tuple(fc.array(fc.constantFrom(...sentences), { minLength: 3, maxLength: 12 }), fc.array(fc.nat(2000)))
  .map(([told, cuts]) => {
    const text = told.join(' ')
    const at = [...new Set(cuts.map((cut) => cut % text.length))].sort((a, b) => a - b)
    const pieces = [...at, text.length].map((end, index) => text.slice(at[index - 1] ?? 0, end))
    return { told, pieces: pieces.filter((piece) => piece !== '') }
  })

const polite = (text: string): Heard => ({ region: 'polite', live: 'polite', text })
const numbered = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `This is sentence number ${n}.`)

describe.skipIf(chromium === undefined)('a screen reader', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(async () => {
    await stage?.close()
  })

  test('hears exactly the sentences of a text, in order and once, however it is published', async () => {
    const { page } = await listenPage(stage)
    await fc.assert(
      fc.asyncProperty(publishedText, async ({ told, pieces }) => {
        const { agent } = await listenPage(stage, page)
        for (const piece of pieces) void agent.text(piece)
        await agent.end()
        await untilHeard(page, finished)
        expect(await heardOn(page)).toEqual([joined, ...told, finished].map(polite))
      }),
      { numRuns: 4 * rounds },
    )
  })

  test('hears a question at once, before the text that still waits', async () => {
    const { agent, page } = await listenPage(stage)
    const told = numbered(120)
    await agent.say(
      { kind: 'text-delta', output: 'o', take: 0, text: told.join(' '), position: 0, channel: 'answer' },
      {
        kind: 'question-open',
        question: 'confirmation',
        token: `ask-${agent.session}`,
        text: 'Delete it?',
        consequence: 'It is gone.',
        default: 'reject',
        timeoutMs: 86_000_000,
      },
    )
    await untilHeard(page, 'number 119.')
    const heard = await heardOn(page)
    expect(heard.filter(({ region }) => region === 'assertive')).toEqual([
      {
        region: 'assertive',
        live: 'assertive',
        text: 'Question: Delete it? Consequence: It is gone. Without an answer: reject. 23 hours left.',
      },
    ])
    expect(heard.map(({ text }) => text).filter((text) => told.includes(text))).toEqual(told)
    const places = heard.map(({ text }) => text)
    expect(places.findIndex((text) => text.startsWith('Question'))).toBeLessThan(
      places.indexOf(told[100] ?? ''),
    )
    await agent.end()
  })

  test('hears tools and progress by their summaries', async () => {
    const { agent, page } = await listenPage(stage)
    const summaries = {
      terse: 'Searching.',
      normal: 'Searching for trains.',
      detailed: 'Searching everywhere.',
    }
    await agent.say({
      kind: 'tool-call',
      call: 'a',
      tool: 'search',
      args: { q: 'secret' },
      meta: { summaries },
    })
    await agent.say({ kind: 'tool-result', call: 'a', tool: 'search', status: 'success', result: 'secret' })
    await agent.say({ kind: 'progress', percent: 40, text: 'Comparing prices' })
    await agent.say({ kind: 'tool-call', call: 'b', tool: 'book_hotel' })
    await agent.say({
      kind: 'tool-result',
      call: 'b',
      tool: 'book_hotel',
      status: 'error',
      message: 'It is full',
    })
    await agent.end()
    await untilHeard(page, finished)
    expect(await textsOn(page)).toEqual([
      joined,
      'Searching for trains.',
      '40 percent. Comparing prices.',
      'Using the tool book hotel.',
      'That did not work. It is full.',
      finished,
    ])
  })

  test('hears each sentence once, though the gateway is killed in the middle', async () => {
    const { agent, page } = await listenPage(stage)
    const told = numbered(60)
    const tell = (from: number, to: number): Promise<unknown> =>
      Promise.all(told.slice(from, to).map((sentence) => agent.text(`${sentence} `)))
    await tell(0, 20)
    await untilHeard(page, 'number 18.')
    await stage.gateway.kill()
    await page.getByText(/^Offline, trying again/).waitFor()
    const later = tell(20, 40)
    await stage.gateway.restart()
    await later
    const last = tell(40, 60)
    await stage.gateway.kill()
    await stage.gateway.restart()
    await last
    await agent.end()
    await untilHeard(page, finished)
    expect(await textsOn(page)).toEqual([joined, ...told, finished])
  })

  test('hears at a second visit where the session stands and what is open, and no old text', async () => {
    const { agent, page } = await listenPage(stage)
    await agent.say({ kind: 'state-change', to: 'writing_output' })
    await agent.text('An old sentence. ')
    await untilHeard(page, 'An old sentence.')
    const writing = await stage.open(`/sessions/${agent.session}`, { script: hearingScript })
    await until(async () => (await textsOn(writing)).length > 0)
    await agent.say({
      kind: 'question-open',
      question: 'clarification',
      token: `where-${agent.session}`,
      text: 'Where to?',
    })
    await untilHeard(writing, 'Where to?')
    const waiting = await stage.open(`/sessions/${agent.session}`, { script: hearingScript })
    await untilHeard(waiting, 'Where to?')
    await agent.end()
    await untilHeard(writing, finished)
    await untilHeard(waiting, finished)
    expect(await textsOn(writing)).toEqual([
      'The agent is writing its answer.',
      'Question: Where to?',
      finished,
    ])
    expect(await textsOn(waiting)).toEqual([
      'The agent is waiting for an answer.',
      'Question: Where to?',
      finished,
    ])
    expect((await heardOn(waiting))[1]).toMatchObject({ region: 'assertive', live: 'assertive' })
  })

  test('and meets no error and no breach of policy', () => expect(stage.faults).toEqual([]))
})
