import type { Clock } from '@sluice/protocol'
import { toSpeechRate } from './speech-rate.ts'
import type { Speech, SpeechOutcome, Voice } from './voice.ts'

/** The speech interface of a browser; some browsers have none. */
export interface SpeechPlatform {
  readonly speechSynthesis?: Pick<SpeechSynthesis, 'speak' | 'cancel' | 'resume'>
  readonly SpeechSynthesisUtterance?: new (text: string) => SpeechSynthesisUtterance
}

/** A browser without voices may never start to speak, and report nothing. */
const startWithinMs = 5_000
/**
 * Some browsers lose the last event of a long text: after longer than any text takes, it counts as spoken.
 */
const longestMs = (text: string, rate: number): number => 10_000 + (text.length * 300) / rate

/** The voice of the browser. If it has none, every speak() fails. */
export function createBrowserVoice(clock: Clock, platform: SpeechPlatform = globalThis): Voice {
  const { speechSynthesis: synthesis, SpeechSynthesisUtterance: Utterance } = platform
  if (synthesis === undefined || Utterance === undefined)
    return { speak: async () => 'failed', stop: () => false }
  /** Languages without a voice. */
  const missing = new Set<string>()
  /** Chrome discards an utterance that nothing refers to, and then never reports its end. */
  let current:
    | { readonly utterance: SpeechSynthesisUtterance; readonly end: (how: Ending) => void }
    | undefined

  const utter = ({ text, language, rateWpm }: Speech): Promise<Ending> =>
    new Promise((resolve) => {
      const utterance = new Utterance(text)
      const rate = toSpeechRate(rateWpm)
      const end = (how: Ending): void => {
        timer.clear()
        utterance.onstart = null
        utterance.onend = null
        utterance.onerror = null
        current = undefined
        resolve(how)
      }
      const giveUp = (how: Ending): void => {
        end(how)
        synthesis.cancel()
      }
      let timer = clock.after(startWithinMs, () => giveUp('failed'))
      utterance.onstart = () => {
        timer.clear()
        timer = clock.after(longestMs(text, rate), () => giveUp('spoken'))
      }
      utterance.onend = () => end('spoken')
      utterance.onerror = ({ error }) => end(toEnding(error))
      utterance.rate = rate
      if (!missing.has(language)) utterance.lang = language
      current = { utterance, end }
      // The code that paused it earlier is gone, or it would be speaking.
      synthesis.resume()
      synthesis.speak(utterance)
    })

  return {
    async speak(speech) {
      let how = await utter(speech)
      if (how === 'no-voice') {
        missing.add(speech.language)
        how = await utter(speech)
      }
      // Other code stopped all speech of the page.
      if (how === 'interrupted') how = await utter(speech)
      return how === 'no-voice' || how === 'interrupted' ? 'failed' : how
    },
    stop() {
      if (current === undefined) return false
      current.end('stopped')
      synthesis.cancel()
      return true
    },
  }
}

type Ending = SpeechOutcome | 'no-voice' | 'interrupted'

function toEnding(error: SpeechSynthesisErrorCode): Ending {
  if (error === 'language-unavailable' || error === 'voice-unavailable') return 'no-voice'
  return error === 'interrupted' || error === 'canceled' ? 'interrupted' : 'failed'
}
