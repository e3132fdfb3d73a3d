import { omitUndefined } from '../omit-undefined.ts'
import { createSegmenter } from '../segment/segmenter.ts'
import { cutSentences, splitSentences } from './markdown/sentence-cutter.ts'
import { toSpokenLine } from './spoken-text.ts'
import type { TextReader } from './text-reader.ts'
import type { Utterance } from './utterance.ts'

/** Reads text without any markup, sentence by sentence. */
export function createPlainReader(language?: string): TextReader {
  const segmenter = createSegmenter(language)
  let pending = ''

  const say = (text: string): readonly Utterance[] =>
    splitSentences(text, segmenter)
      .map(toSpokenLine)
      .filter((line) => line !== '')
      .map((line) => omitUndefined({ text: line, language }))

  const sayAll = (): readonly Utterance[] => {
    const all = pending
    pending = ''
    return say(all)
  }

  return {
    push(text) {
      pending += text.replaceAll('\r', '')
      const told: Utterance[] = []
      for (;;) {
        const { ready, rest } = cutSentences(pending, segmenter)
        pending = rest
        if (ready === '') return told
        told.push(...say(ready))
      }
    },
    interrupt: sayAll,
    end: sayAll,
  }
}
