import { type AgentSession, createClient } from '@sluice/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Speech, SpeechOutcome, Voice } from '../../packages/react/src/speech/voice.ts'
import { localKey, type StartedGateway, startGateway } from '../client/start-gateway.ts'
import { until } from '../testing/until.ts'
import { listen } from './listening.ts'

let gateway: StartedGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway?.close())

/** A voice that speaks each text until a test ends it. */
function createHandVoice() {
  const heard: string[] = []
  let current: { readonly speech: Speech; readonly end: (outcome: SpeechOutcome) => void } | undefined
  const end = (outcome: SpeechOutcome): boolean => {
    const ended = current
    if (ended === undefined) return false
    current = undefined
    heard.push(outcome === 'spoken' ? ended.speech.text : `${ended.speech.text} ${outcome}`)
    ended.end(outcome)
    return true
  }
  const voice: Voice = {
    speak: (speech) =>
      new Promise((resolve) => {
        current = { speech, end: resolve }
      }),
    stop: () => end('stopped'),
  }
  return {
    voice,
    heard: () => heard,
    speaking: () => current?.speech,
    end,
    async finish() {
      while (end('spoken')) await new Promise<void>((resolve) => setImmediate(resolve))
    },
  }
}

/** A session that has sent three sentences to a voice, which is still at the very first utterance. */
async function start(rateWpm?: number) {
  const client = createClient({ url: gateway.url, token: localKey, random: () => 0 })
  const session: AgentSession = await client.createSession({ agent: 'teller', language: 'en' })
  const hand = createHandVoice()
  const listening = listen(client, session.id, { isStarted: false, rateWpm })
  listening.announcements.setVoice(hand.voice)
  listening.announcements.start()
  session.text('One. Two. Three.')
  await until(() => hand.speaking() !== undefined)
  return { ...listening, session, hand }
}

test('a voice speaks everything in its order while live regions are silent', async () => {
  const { session, hand, snapshot, texts, until: untilTold } = await start(900)
  expect(snapshot().isSpoken).toBe(true)
  expect(hand.speaking()).toEqual({ text: 'The agent has started.', language: 'en', rateWpm: 900 })
  await session.complete('Done.')
  await untilTold(({ hasEnded }) => hasEnded)
  await hand.finish()
  expect(hand.heard()).toEqual(texts())
  expect(texts()).toEqual(['The agent has started.', 'One.', 'Two.', 'Three.', 'Done.'])
})

test('a question breaks off what is being spoken, which is spoken again behind it', async () => {
  const { session, hand, heard } = await start()
  const asked = session.confirm({ action: 'Go on', consequence: 'It goes on.' })
  await heard('Question: Go on.')
  await until(() => hand.speaking()?.text.startsWith('Question') === true)
  await hand.finish()
  expect(hand.heard().slice(0, 3)).toEqual([
    'The agent has started. stopped',
    expect.stringMatching(/^Question: Go on\./),
    'The agent has started.',
  ])
  await session.cancel()
  await asked.catch(() => {})
})

test('what waits for the voice can be skipped, counted and told again', async () => {
  const { session, hand, announcements, heard, texts, until: untilTold } = await start()
  await session.complete('Done.')
  await untilTold(({ hasEnded }) => hasEnded)
  announcements.whereAmI()
  await until(() => hand.speaking()?.text.startsWith('teller.') === true)
  expect(hand.speaking()?.text).toBe('teller. The session has ended. 4 lines behind.')
  hand.end('spoken')
  await until(() => hand.speaking()?.text === 'The agent has started.')
  announcements.repeat()
  await until(() => hand.heard().length === 3 && hand.speaking()?.text === 'The agent has started.')
  expect(announcements.skip()).toBe(3)
  await until(() => hand.speaking()?.text === 'Done.')
  await hand.finish()
  const broken = 'The agent has started. stopped'
  expect(hand.heard()).toEqual([broken, expect.stringMatching(/^teller\./), broken, broken, 'Done.'])
  await heard('Three.')
  expect(texts().filter((text) => text === 'The agent has started.')).toHaveLength(2)
})

test.each([
  ['fails', true],
  ['is switched off', false],
])('what a voice that %s has not said is told by the live regions', async (_, hasVoiceFailed) => {
  const { session, hand, announcements, snapshot, heard } = await start()
  await session.complete('Done.')
  await heard('Done.')
  hand.end('spoken')
  await until(() => hand.speaking()?.text === 'One.')
  const lastId = snapshot().utterances.at(-1)?.id ?? 0
  if (hasVoiceFailed) hand.end('failed')
  else announcements.setVoice(undefined)
  await until(() => !snapshot().isSpoken)
  expect(snapshot()).toMatchObject({ spokenUpTo: lastId, hasVoiceFailed })
  await until(() => snapshot().utterances.at(-1)?.id === lastId + 4)
  expect(
    snapshot()
      .utterances.slice(-4)
      .map(({ text }) => text),
  ).toEqual(['One.', 'Two.', 'Three.', 'Done.'])
})

test('what a voice that fails had not come to is told once', async () => {
  const { session, hand, snapshot, texts, until: untilTold } = await start()
  const many = Array.from({ length: 60 }, (_, index) => `Sentence number ${index}.`)
  session.text(` ${many.join(' ')}`)
  await session.complete('Done.')
  await untilTold(({ utterances }) => utterances.length === 25) // the others wait for their turn
  await until(() => hand.end('failed'))
  const { spokenUpTo } = snapshot()
  await untilTold(({ hasEnded }) => hasEnded)
  expect(texts().slice(spokenUpTo)).toEqual([
    'The agent has started.',
    ...['One.', 'Two.', 'Three.'],
    ...many,
    'Done.',
  ])
})

test('who stops hears nothing more', async () => {
  const { hand, announcements } = await start()
  await announcements.stop()
  expect(hand.speaking()).toBeUndefined()
  expect(hand.heard()).toEqual(['The agent has started. stopped'])
})
