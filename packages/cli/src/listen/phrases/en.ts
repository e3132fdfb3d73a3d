import type { KeyPhrases } from './key-phrases.ts'

export const en: KeyPhrases = {
  language: 'en',
  reviewed: true,

  pressAcceptReject: 'Answer y for accept, n for reject.',
  pressYesNo: 'Answer y for yes, n for no.',
  pressNumber: 'Press the number of your choice.',
  pressToType: 'Press a to type an answer.',
  pressToTypeNumber: 'Press a to type a number.',
  typeNow: 'Type your answer and press Enter. An empty line sends nothing.',
  sent: 'Answer sent: {text}.',
  sentAlready: 'Your answer was already sent.',
  notSent: 'The answer could not be sent. {text}',
  notCounted: 'Your answer did not count: the question was no longer open.',
  nothingSent: 'No answer was sent.',
  closedMeanwhile: 'The question is closed. Your answer was not sent.',
  notAnAnswer: 'That is not an answer to this question.',
  noQuestion: 'No question is open.',

  skipped: { one: 'Skipped {n} line.', other: 'Skipped {n} lines.' },
  noCode: 'There was no code block.',
  paused: 'Paused. Press p to continue.',
  resumed: 'Continuing.',
  pressToQuit: 'Press q to quit.',
  pressForKeys: 'Press ? for the keys.',
  keys: [
    'r repeats the last line.',
    'e skips to the end.',
    'w says where we are.',
    'c reads the last code block.',
    'p pauses and continues.',
    'y, n or a number answers a question, a types an answer.',
    'q quits.',
  ],
}
