import type { Io } from './io.ts'
import { toSentence } from './safe-text.ts'
import { wrapLines } from './wrap-text.ts'

/** Says something on standard error. Foreign text in it cannot imitate the start of this command's lines. */
export function say({ stderr }: Pick<Io, 'stderr'>, sentence: string): void {
  stderr.write(wrapLines(`sluice: ${toSentence(sentence)}\n`, stderr))
}

/** Says something without foreign text. Does not wrap, so that a command or address in it can be copied. */
export function sayPlain({ stderr }: Pick<Io, 'stderr'>, sentence: string): void {
  stderr.write(`sluice: ${toSentence(sentence)}\n`)
}
