import type { SluiceEvent, TextDelta } from '@sluice/protocol'
import { richSession } from '../../packages/protocol/src/testing/rich-session.ts'

/** More code points than an AAEP chunk takes, and more bytes than an agent event takes. */
const longText = 'The train 🚄🎈𠮷𝒏𝒎𝒌𠮷🎈🚄👩🏽‍🚀𠮷𠮷🎈🎈🎈🎈🎈🎈🎈🎈🎈🎈🎈🎈🎈🎈🎈🎈. '.repeat(500)
/** More bytes than a message of an agent event takes. */
const longQuestion = 'Which one 🎈? '.repeat(400)
/** Pieces as a model writes them: cut anywhere, even inside a sentence. */
const pieces =
  'One. Two words, three 🎈🎈 and Dr. Four.\n\nA new paragraph begins here; it goes on. 終わり。'.match(
    /.{1,9}/gsu,
  )

function delta(output: string, text: string): TextDelta {
  return { kind: 'text-delta', output, take: 0, position: 0, text, channel: 'answer' }
}

const more: readonly (readonly SluiceEvent[])[] = [
  ...(pieces ?? []).map((text) => [delta('story', text)]),
  // Two outputs that alternate, and several events in one entry with text between them.
  [delta('aside', 'Meanwhile, '), delta('story', 'and so on. '), delta('aside', 'elsewhere. ')],
  [delta('story', 'Half a sen'), { kind: 'state-change', to: 'executing' }, delta('story', 'tence. End')],
  [{ kind: 'text-reset', output: 'story', take: 1, channel: 'answer' }],
  [{ ...delta('story', 'Once more 🧵, from the '), take: 1 }],
  [{ ...delta('story', 'start.'), take: 1 }],
]

function toTexts(entries: readonly (readonly SluiceEvent[])[]): readonly string[] {
  return entries.map((events) => JSON.stringify({ events }))
}

/**
 * Sessions to publish in the dialect `sluice`, one text per frame: one with tools, questions, several
 * outputs, resets and characters beyond the BMP, and one with texts far longer than a frame.
 */
export const sessions: Readonly<Record<string, readonly string[]>> = {
  sess_rich: toTexts([...richSession.slice(0, -1), ...more, ...richSession.slice(-1)]),
  sess_long: toTexts([
    [{ kind: 'session-start', request: 'Tell me everything.' }],
    [delta('long', 'Well, '), delta('long', longText)],
    [{ kind: 'tool-call', call: 'call_1', tool: 'look_up', args: { text: 'train' } }],
    [delta('long', 'and a last word.'), { kind: 'text-end', output: 'long', take: 0 }],
    [{ kind: 'tool-result', call: 'call_1', tool: 'look_up', status: 'success', result: '08:00' }],
    // Single events that some dialects express in several frames, with others before and after them in their
    // entry.
    [
      { kind: 'state-change', to: 'writing' },
      { kind: 'message', id: 'msg-1', role: 'agent', parts: [{ type: 'text', text: longText }] },
      { kind: 'notice', level: 'info', text: 'It was long.' },
    ],
    [
      { kind: 'question-open', question: 'clarification', token: 'ask-1', text: longQuestion },
      { kind: 'notice', level: 'info', text: 'That was long too.' },
    ],
    [{ kind: 'session-end', outcome: 'completed' }],
  ]),
}
