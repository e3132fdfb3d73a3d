import { type Rank, ranks, type Utterance } from '@sluice/protocol/narrate'
import { expect, test } from 'vitest'
import { createSpeaker } from './speaker.ts'
import type { SpeechOutcome, Voice } from './voice.ts'

/** A speaker whose voice speaks until a test ends it. */
function open() {
  const heard: string[] = []
  let current: { readonly text: string; readonly end: (outcome: SpeechOutcome) => void } | undefined
  let failure: readonly string[] | undefined
  let moves = 0
  const end = async (outcome: SpeechOutcome): Promise<void> => {
    const ended = current
    current = undefined
    heard.push(`${ended?.text}${outcome === 'spoken' ? '' : ` ${outcome}`}`)
    ended?.end(outcome)
    await settle()
  }
  const voice: Voice = {
    speak: ({ text }) =>
      new Promise((resolve) => {
        current = { text, end: resolve }
      }),
    stop() {
      const isSpeaking = current !== undefined
      if (isSpeaking) void end('stopped')
      return isSpeaking
    },
  }
  const speaker = createSpeaker({
    voice,
    toSpeech: ({ text }) => ({ text, language: 'en' }),
    onMove: () => {
      moves += 1
    },
    onFailure: (left) => {
      failure = left.map(({ text }) => text)
    },
  })
  return {
    speaker,
    say: (text: string, rank: Rank = ranks.session, more: Partial<Utterance> = {}) =>
      speaker.say({ text, ...more }, rank),
    end,
    /** Speaks everything to its end. */
    async finish() {
      await settle()
      while (current !== undefined) await end('spoken')
      return heard
    },
    heard,
    moves: () => moves,
    failure: () => failure,
  }
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

test('speaks one after the other', async () => {
  const { say, finish, speaker, moves } = open()
  say('One.')
  say('Two.')
  say('Three.')
  expect(speaker.waiting).toBe(2)
  expect(await finish()).toEqual(['One.', 'Two.', 'Three.'])
  expect([speaker.waiting, moves(), speaker.last?.text]).toEqual([0, 3, 'Three.'])
})

test('what is critical breaks off what is not, and that is spoken again behind all that is critical', async () => {
  const { say, finish } = open()
  say('One.')
  say('Two.')
  say('Fire!', ranks.critical)
  say('Run!', ranks.critical)
  expect(await finish()).toEqual(['One. stopped', 'Fire!', 'Run!', 'One.', 'Two.'])
})

test('the answer to a key breaks off everything, and is not spoken again itself', async () => {
  const { say, finish, speaker } = open()
  say('Fire!', ranks.critical)
  say('Here.', ranks.key)
  await settle()
  say('There.', ranks.key)
  expect(await finish()).toEqual(['Fire! stopped', 'Here. stopped', 'There.', 'Fire!'])
  expect(speaker.last?.text).toBe('Fire!')
})

test('skipping keeps what is critical and what must be kept', async () => {
  const { say, finish, speaker } = open()
  say('One.')
  say('Two.')
  say('The end.', ranks.session, { isKept: true })
  say('Fire!', ranks.critical)
  expect(speaker.skip()).toBe(1)
  expect(await finish()).toEqual(['One. stopped', 'Fire!', 'The end.'])
})

test('what is broken off for good is not spoken again', async () => {
  const { say, finish, speaker } = open()
  say('One.')
  speaker.breakOff()
  await settle()
  say('Two.')
  expect(await finish()).toEqual(['One. stopped', 'Two.'])
})

test('a voice that fails hands back what it did not say, in its order', async () => {
  const { say, end, failure, speaker, heard } = open()
  say('One.')
  say('Two.')
  say('Fire!', ranks.key)
  await settle()
  await end('failed')
  expect(failure()).toEqual(['Fire!', 'One.', 'Two.'])
  say('Three.')
  expect(heard).toEqual(['One. stopped', 'Fire! failed'])
  expect(speaker.close()).toEqual([])
})

test('clearing drops everything and goes on later', async () => {
  const { say, finish, speaker } = open()
  say('Fire!', ranks.critical)
  say('Two.')
  speaker.clear()
  await settle()
  say('Three.')
  expect(await finish()).toEqual(['Fire! stopped', 'Three.'])
})
