import { createClient } from '@sluice/client'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { localKey, type StartedGateway, startGateway } from '../client/start-gateway.ts'
import { rounds } from '../testing/rounds.ts'
import { listen } from './listening.ts'

let gateway: StartedGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway?.close())

const connect = () => createClient({ url: gateway.url, token: localKey, random: () => 0 })
const beginSession = () =>
  connect().createSession({ agent: { id: 'planner', name: 'Planner' }, language: 'en' })

const sentences = [
  'Dr. Who paid 3.14 euros.',
  'Was it late?',
  'The file main.ts is new!',
  'Grüße 👩‍👩‍👧 an alle.',
  'A sentence that goes on for quite a while, so that it does not fit into one piece, and then some more of it.',
]

/** A text of whole sentences, in pieces that end anywhere. */
const publishedText = fc
  .tuple(fc.array(fc.constantFrom(...sentences), { minLength: 1, maxLength: 8 }), fc.array(fc.nat(1000)))
  .map(([told, cuts]) => {
    const text = [...told.join(' ')]
    const at = [...new Set(cuts.map((cut) => cut % text.length))].sort((a, b) => a - b)
    const pieces = [...at, text.length].map((end, index) => text.slice(at[index - 1] ?? 0, end).join(''))
    return { told, pieces: pieces.filter((piece) => piece !== '') }
  })

describe('a session', () => {
  test('is told in whole sentences, each once and in order, however its text is published', async () => {
    await fc.assert(
      fc.asyncProperty(publishedText, async ({ told, pieces }) => {
        const session = await beginSession()
        const { texts, until } = listen(connect(), session.id)
        for (const piece of pieces) session.text(piece)
        await session.complete()
        await until(({ hasEnded }) => hasEnded)
        expect(texts().filter((text) => sentences.includes(text))).toEqual(told)
        expect(texts().join(' ')).toContain(told.join(' '))
      }),
      { numRuns: 10 * rounds },
    )
  })

  test('that is long is told without a gap, though the list keeps only its end', async () => {
    const session = await beginSession()
    const told = Array.from({ length: 260 }, (_, index) => `This is sentence number ${index}.`)
    session.text(told.join(' '))
    await session.complete()
    // Every timer fires at once.
    const clock = {
      now: Date.now,
      monotonic: () => performance.now(),
      after: (_ms: number, run: () => void) => toTimer(setTimeout(run, 0)),
    }
    const { texts, until, snapshot } = listen(connect(), session.id, { clock })
    await until(({ hasEnded }) => hasEnded)
    expect(texts().filter((text) => told.includes(text))).toEqual(told)
    expect(snapshot().utterances).toHaveLength(200)
  })

  test('that has ended is told to its end, and one that is joined after its end says so', async () => {
    const session = await beginSession()
    session.text('Half a sen')
    await session.complete('All is done.')
    const all = listen(connect(), session.id)
    await all.until(({ hasEnded }) => hasEnded)
    expect(all.texts().slice(-2)).toEqual(['Half a sen', 'All is done.'])
    const late = listen(connect(), session.id, { from: 'now' })
    await late.until(({ hasEnded }) => hasEnded)
    expect(late.texts()).toEqual(['The session has ended.'])
  })

  test('that is joined under way tells where it stands, and what is open', async () => {
    const session = await beginSession()
    session.text('Before. ')
    const asked = session.confirm({ action: 'Go on', consequence: 'It goes on.' })
    await listen(connect(), session.id).heard('Question: Go on.')
    const { heard, texts, until } = listen(connect(), session.id, { from: 'now' })
    await heard('Question: Go on.')
    await connect().cancel(session.id)
    await session.cancel()
    await asked.catch(() => {})
    await until(({ hasEnded }) => hasEnded)
    expect(texts()).not.toContain('Before.')
  })
})

describe('a question', () => {
  test('comes behind the text before it, is critical, and can be told again with the time that is left', async () => {
    const session = await beginSession()
    const { heard, texts, snapshot, announcements } = listen(connect(), session.id)
    session.text('I found old files. Let me')
    const asked = session.confirm({
      action: 'Delete them',
      consequence: 'They are gone.',
      irreversible: true,
      timeoutMs: 600_000,
    })
    await heard('Question: Delete them.')
    const question = snapshot().utterances.at(-1)
    expect(texts().slice(-3, -1)).toEqual(['I found old files.', 'Let me'])
    expect(question).toMatchObject({ isCritical: true, language: 'en' })
    expect(question?.text).toMatch(
      /This cannot be undone\. Without an answer: reject\. (9|10) minutes left\.$/,
    )
    expect(snapshot().utterances.filter(({ isCritical }) => isCritical)).toHaveLength(1)
    announcements.whereAmI()
    expect(texts().at(-1)).toBe('Planner. Waiting for an answer. 1 open question.')
    announcements.repeat()
    expect(snapshot().utterances.at(-1)).toMatchObject({ isCritical: true, id: (question?.id ?? 0) + 2 })
    expect(texts().at(-1)).toMatch(/^Question: Delete them\./)
    await session.cancel()
    await asked.catch(() => {})
  })

  test('that is answered elsewhere is told with its outcome', async () => {
    const session = await beginSession()
    const { heard, texts, until } = listen(connect(), session.id)
    const asked = session.ask({ question: 'Train or bus?' })
    await heard('Question: Train or bus?')
    await connect().answer(session.id, { token: await askedIn(session.id), response: 'train' })
    await asked
    await session.complete()
    await until(({ hasEnded }) => hasEnded)
    expect(texts().filter((text) => text.startsWith('Question'))).toHaveLength(1)
    expect(texts().at(-2)).toMatch(/answer/i)
  })
})

describe('a listener', () => {
  test('who asks before anything was told hears that', async () => {
    const session = await beginSession()
    const { announcements, texts } = listen(connect(), session.id, { isStarted: false })
    announcements.repeat()
    announcements.whereAmI()
    expect(texts()).toEqual(['Nothing was told yet.', 'Nothing was told yet.'])
    expect(announcements.skip()).toBe(0)
  })

  test('changes the terms, and hears what follows on them and nothing twice', async () => {
    const session = await beginSession()
    const { announcements, heard, texts, until, snapshot } = listen(connect(), session.id)
    session.text('Before. ')
    await session.tool('run_tests', {}, () => {})
    await heard('Before.')
    announcements.setTerms({ verbosity: 'terse' })
    announcements.setTerms({ languages: ['de'], rateWpm: 1000, load: 'high' })
    const asked = session.ask({ question: 'Weiter?', timeoutMs: 60_000 })
    await heard('Frage: Weiter?')
    session.text('After.')
    await session.cancel()
    await asked.catch(() => {})
    await until(({ hasEnded }) => hasEnded)
    expect(texts().filter((text) => text === 'Before.')).toHaveLength(1)
    expect(texts().filter((text) => text === 'After.')).toHaveLength(1)
    expect(snapshot().error).toBeUndefined()
    announcements.setTerms({ verbosity: 'normal' })
    expect(snapshot().error).toBeUndefined()
  })

  test('is told why a session is refused', async () => {
    const stranger = createClient({ url: gateway.url, token: 'wrong', random: () => 0 })
    const { until, snapshot, texts } = listen(stranger, 'sess_any')
    await until(({ error }) => error !== undefined)
    expect(snapshot().error).toMatchObject({ details: { reason_code: 'authentication_required' } })
    expect(texts()).toEqual([expect.stringMatching(/^Error: .+\.$/)])
    expect(snapshot().utterances[0]?.isCritical).toBe(true)
  })

  test('is told once why other terms are refused', async () => {
    const session = await beginSession()
    const { announcements, heard, until, texts } = listen(connect(), session.id)
    session.text('One sentence. Half')
    await heard('One sentence.')
    announcements.setTerms({ load: 'enormous' as 'high' }) // no type allows this
    await until(({ error }) => error !== undefined)
    await heard('Error:')
    expect(texts().filter((text) => text.startsWith('Error:'))).toHaveLength(1)
    await session.complete()
  })

  test('who stops hears no more, and who starts again goes on from now', async () => {
    const session = await beginSession()
    const { announcements, heard, texts, until } = listen(connect(), session.id)
    session.text('One. ')
    session.progress({ percent: 10 })
    await heard('One.')
    await announcements.stop()
    session.text('Two. ')
    session.state('deciding')
    await listen(connect(), session.id).heard('deciding')
    announcements.start()
    await heard('deciding')
    session.text('Three.')
    await session.complete()
    await until(({ hasEnded }) => hasEnded)
    expect(texts().filter((text) => /^(One|Two|Three)\.$/.test(text))).toEqual(['One.', 'Three.'])
  })
})

/** The token of the question that a session asks, once it asks. */
async function askedIn(session: string): Promise<string> {
  for await (const item of connect().subscribe(session)) {
    if (item.type !== 'frame') continue
    for (const event of item.frame.events) if (event.kind === 'question-open') return event.token
  }
  throw new Error('nothing was asked')
}

function toTimer(timer: NodeJS.Timeout) {
  onTestFinished(() => clearTimeout(timer))
  return { clear: () => clearTimeout(timer) }
}
