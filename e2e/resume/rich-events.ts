import type { SluiceEvent } from '@sluice/protocol'
import { richSession } from '../../packages/protocol/src/testing/rich-session.ts'

const sentence = 'Der Zug fährt um 8:00 Uhr 🚄 ab. Dr. Ada sitzt am Gang 👩🏽‍🚀, 𝒏 = 𠮷. '
/** Longer than what any contract takes in one frame. */
const longText = sentence.repeat(400)
/** Pieces as a model writes them: cut anywhere, also between two halves of one sentence. */
const pieces = 'One. Two words, three 🎈🎈 and Dr. Four.\n\nA new paragraph begins here; it goes on. 終わり。'.match(
  /.{1,9}/gsu,
)

function delta(output: string, text: string): SluiceEvent {
  return { kind: 'text-delta', output, take: 0, position: 0, text, channel: 'answer' }
}

const more: readonly (readonly SluiceEvent[])[] = [
  ...(pieces ?? []).map((text) => [delta('story', text)]),
  // Text of two outputs that alternates, and several events in one entry with text between them.
  [delta('aside', 'Meanwhile, '), delta('story', 'and so on. '), delta('aside', 'elsewhere. ')],
  [delta('story', 'Half a sen'), { kind: 'state-change', to: 'executing' }, delta('story', 'tence. End')],
  [delta('long', longText)],
  [delta('long', 'And a last word.'), { kind: 'text-end', output: 'long', take: 0 }],
  [{ kind: 'text-reset', output: 'story', take: 1, channel: 'answer' }],
  [{ ...delta('story', 'Once more 🧵, from the '), take: 1 }],
  [{ ...delta('story', 'start.'), take: 1 }],
]

/**
 * A session with tools, questions, several outputs, resets, text far beyond one frame and characters beyond the BMP.
 * Each text is one event to publish in the dialect `sluice`.
 */
export const richEvents: readonly string[] = [...richSession.slice(0, -1), ...more, ...richSession.slice(-1)].map(
  (events) => JSON.stringify({ events }),
)
