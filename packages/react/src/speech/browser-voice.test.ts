import { expect, test } from 'vitest'
import { createBrowserVoice } from './browser-voice.ts'

type Spoken = SpeechSynthesisUtterance

/** A browser whose speech a test controls, and a clock whose timers it fires. */
function open() {
  const spoken: Spoken[] = []
  const timers = new Map<object, () => void>()
  let cancels = 0
  class Utterance {
    readonly text: string
    lang = ''
    rate = 1
    onstart: (() => void) | null = null
    onend: (() => void) | null = null
    onerror: ((event: { error: string }) => void) | null = null
    constructor(text: string) {
      this.text = text
    }
  }
  const speechSynthesis = {
    speak: (utterance: Spoken) => void spoken.push(utterance),
    cancel: () => {
      cancels += 1
    },
    resume: () => {},
  }
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    after(_ms: number, run: () => void) {
      const timer = { clear: () => void timers.delete(timer) }
      timers.set(timer, run)
      return timer
    },
  }
  // Only the part of an utterance that a voice uses.
  const SpeechSynthesisUtterance = Utterance as unknown as new (text: string) => Spoken
  const happen = (name: 'onstart' | 'onend' | 'onerror', error?: string) => {
    const [handler, event]: [unknown, unknown] = [spoken.at(-1)?.[name], { error }]
    if (typeof handler === 'function') handler(event)
  }
  return {
    voice: createBrowserVoice(clock, { speechSynthesis, SpeechSynthesisUtterance }),
    spoken: () => spoken.map(({ text, lang, rate }) => `${text} ${lang} ${rate}`),
    happen,
    /** Waits until pending promises are settled. */
    settle: () => new Promise<void>((resolve) => setImmediate(resolve)),
    ring: () => {
      for (const [timer, run] of [...timers]) if (timers.delete(timer)) run()
    },
    timers,
    cancels: () => cancels,
  }
}

test('a text is spoken in its language and at its rate', async () => {
  const { voice, spoken, happen, timers } = open()
  const speaking = voice.speak({ text: 'Olá.', language: 'pt', rateWpm: 360 })
  happen('onstart')
  happen('onend')
  expect(await speaking).toBe('spoken')
  expect(spoken()).toEqual(['Olá. pt 2'])
  expect(timers.size).toBe(0)
})

test('a language without a voice is spoken by another, and not asked for again', async () => {
  const { voice, spoken, happen, settle } = open()
  const first = voice.speak({ text: 'One.', language: 'tlh' })
  happen('onerror', 'language-unavailable')
  await settle()
  happen('onend')
  expect(await first).toBe('spoken')
  const second = voice.speak({ text: 'Two.', language: 'tlh' })
  happen('onend')
  expect(await second).toBe('spoken')
  expect(spoken()).toEqual(['One. tlh 1', 'One.  1', 'Two.  1'])
})

test('stop breaks off, once, whatever the browser says of it', async () => {
  const { voice, happen, cancels } = open()
  expect(voice.stop()).toBe(false)
  const speaking = voice.speak({ text: 'A long story.', language: 'en' })
  expect([voice.stop(), voice.stop()]).toEqual([true, false])
  happen('onerror', 'interrupted')
  expect(await speaking).toBe('stopped')
  expect(cancels()).toBe(1)
})

test('what somebody else breaks off is spoken once more', async () => {
  const { voice, spoken, happen, settle } = open()
  const speaking = voice.speak({ text: 'One.', language: 'en' })
  happen('onerror', 'interrupted')
  await settle()
  happen('onerror', 'canceled')
  expect(await speaking).toBe('failed')
  expect(spoken()).toEqual(['One. en 1', 'One. en 1'])
})

test.each(['not-allowed', 'synthesis-failed', 'audio-hardware'])('%s is a failure', async (error) => {
  const { voice, happen } = open()
  const speaking = voice.speak({ text: 'One.', language: 'en' })
  happen('onerror', error)
  expect(await speaking).toBe('failed')
})

test('a voice that never begins has failed, one that never tells its end has spoken', async () => {
  const { voice, happen, ring, cancels } = open()
  const silent = voice.speak({ text: 'One.', language: 'en' })
  ring()
  expect(await silent).toBe('failed')
  const endless = voice.speak({ text: 'Two.', language: 'en' })
  happen('onstart')
  ring()
  expect(await endless).toBe('spoken')
  expect(cancels()).toBe(2)
})

test('a browser without speech fails', async () => {
  const clock = { now: () => 0, monotonic: () => 0, after: () => ({ clear: () => {} }) }
  const voice = createBrowserVoice(clock, {})
  expect(await voice.speak({ text: 'One.', language: 'en' })).toBe('failed')
  expect(voice.stop()).toBe(false)
})
