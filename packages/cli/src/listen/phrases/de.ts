import type { KeyPhrases } from './key-phrases.ts'

export const de: KeyPhrases = {
  language: 'de',
  reviewed: false,

  pressAcceptReject: 'Taste y für annehmen, n für ablehnen.',
  pressYesNo: 'Taste y für ja, n für nein.',
  pressNumber: 'Die Ziffer der Wahl drücken.',
  pressToType: 'Taste a, um eine Antwort zu schreiben.',
  pressToTypeNumber: 'Taste a, um eine Zahl zu schreiben.',
  typeNow: 'Antwort schreiben und die Eingabetaste drücken. Eine leere Zeile sendet nichts.',
  sent: 'Antwort gesendet: {text}.',
  sentAlready: 'Die Antwort wurde schon gesendet.',
  notSent: 'Die Antwort konnte nicht gesendet werden. {text}',
  notCounted: 'Die Antwort zählte nicht: Die Frage war nicht mehr offen.',
  nothingSent: 'Es wurde keine Antwort gesendet.',
  closedMeanwhile: 'Die Frage ist geschlossen. Die Antwort wurde nicht gesendet.',
  notAnAnswer: 'Das ist keine Antwort auf diese Frage.',
  noQuestion: 'Keine Frage ist offen.',

  skipped: { one: '{n} Zeile übersprungen.', other: '{n} Zeilen übersprungen.' },
  noCode: 'Es gab keinen Codeblock.',
  paused: 'Angehalten. Weiter mit p.',
  resumed: 'Es geht weiter.',
  pressToQuit: 'Mit q beenden.',
  pressForKeys: 'Taste ? nennt die Tasten.',
  keys: [
    'r wiederholt die letzte Zeile.',
    'e springt ans Ende.',
    'w sagt, wo wir sind.',
    'c liest den letzten Codeblock.',
    'p hält an und geht weiter.',
    'y, n oder eine Ziffer beantwortet eine Frage, mit a schreibt man eine Antwort.',
    'q beendet.',
  ],
}
