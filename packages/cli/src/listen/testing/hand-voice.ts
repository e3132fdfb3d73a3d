import { createBell } from '../bell.ts'
import type { Voice } from '../speech/voice.ts'

/** A voice that speaks until a test lets it finish. */
export interface HandVoice extends Voice {
  /** Lets the text under way come to its end. */
  finish(): void
  /** What was spoken: to the end, broken off (with a dash), or under way (with dots). */
  heard(): readonly string[]
  /** Resolves when this text is being spoken. */
  until(text: string): Promise<void>
}

export function createHandVoice(): HandVoice {
  const bell = createBell()
  const heard: string[] = []
  let current: { readonly text: string; readonly resolve: () => void } | undefined

  const end = (mark: string): boolean => {
    if (current === undefined) return false
    const { text, resolve } = current
    current = undefined
    heard.push(text + mark)
    resolve()
    return true
  }

  return {
    speak: (text) =>
      new Promise((resolve) => {
        current = { text, resolve }
        bell.ring()
      }),
    stop: () => end(' -'),
    finish: () => void end(''),
    heard: () => [...heard, ...(current === undefined ? [] : [`${current.text} ...`])],
    async until(text) {
      while (current?.text.includes(text) !== true) await bell.wait()
    },
  }
}
