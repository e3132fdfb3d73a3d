import type { Clock } from '@sluice/protocol'
import { toSpeechRate } from './speech-rate.ts'
import type { Speech, SpeechOutcome, Voice } from './voice.ts'

/** What a browser speaks with; some have nothing. */
export interface SpeechPlatform {
  readonly speechSynthesis?: Pick<SpeechSynthesis, 'speak' | 'cancel' | 'resume'>
  readonly SpeechSynthesisUtterance?: new (text: string) => SpeechSynthesisUtterance
}

/** A browser without voices may never begin, and say nothing of it. */
const startWithinMs = 5_000
/** The last event of a long text gets lost in some browsers: after a time that no text takes, the next one is due. */
const longestMs = (text: string, rate: number): number => 10_000 + (text.length * 300) / rate

/** The voice of the browser. Where it has none, everything fails. */
export function createBrowserVoice(clock: Clock, platform: SpeechPlatform = globalThis): Voice {
  const { speechSynthesis: synthesis, SpeechSynthesisUtterance: Utterance } = platform
  if (synthesis === undefined || Utterance === undefined)
    return { speak: async () => 'failed', stop: () => false }
  /** Languages for which there is no voice. */
  const missing = new Set<string>()
  /** Chrome forgets an utterance that nothing refers to, and then never tells its end. */
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
      // Whoever paused it before is gone, or would speak now.
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
      // Somebody else made the whole page fall silent.
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
