import type { KeyPhrases } from './key-phrases.ts'

export const es: KeyPhrases = {
  language: 'es',
  reviewed: false,

  pressAcceptReject: 'Pulse y para aceptar, n para rechazar.',
  pressYesNo: 'Pulse y para sí, n para no.',
  pressNumber: 'Pulse el número de su elección.',
  pressToType: 'Pulse a para escribir una respuesta.',
  pressToTypeNumber: 'Pulse a para escribir un número.',
  typeNow: 'Escriba su respuesta y pulse Intro. Una línea vacía no envía nada.',
  sent: 'Respuesta enviada: {text}.',
  sentAlready: 'Su respuesta ya se envió.',
  notSent: 'No se pudo enviar la respuesta. {text}',
  notCounted: 'Su respuesta no contó: la pregunta ya no estaba abierta.',
  nothingSent: 'No se envió ninguna respuesta.',
  closedMeanwhile: 'La pregunta está cerrada. Su respuesta no se envió.',
  notAnAnswer: 'Eso no responde a esta pregunta.',
  noQuestion: 'No hay ninguna pregunta abierta.',

  skipped: { one: 'Se omitió {n} línea.', other: 'Se omitieron {n} líneas.' },
  noCode: 'No hubo ningún bloque de código.',
  paused: 'En pausa. Pulse p para seguir.',
  resumed: 'Seguimos.',
  pressToQuit: 'Pulse q para terminar.',
  pressForKeys: 'Pulse ? para oír las teclas.',
  keys: [
    'r repite la última línea.',
    'e salta al final.',
    'w dice dónde estamos.',
    'c lee el último bloque de código.',
    'p hace una pausa y sigue.',
    'y, n o un número responde a una pregunta, a escribe una respuesta.',
    'q termina.',
  ],
}
