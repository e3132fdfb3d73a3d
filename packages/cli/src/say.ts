import type { Io } from './io.ts'
import { toSentence } from './safe-text.ts'
import { wrapLines } from './wrap-text.ts'

/** Says something on standard error. Whatever of others is in it, no line but the first begins as ours do. */
export function say({ stderr }: Pick<Io, 'stderr'>, sentence: string): void {
  stderr.write(wrapLines(`sluice: ${toSentence(sentence)}\n`, stderr))
}

/** Says something that quotes nobody. Its line is left whole, so that a command or an address in it can be copied. */
export function sayPlain({ stderr }: Pick<Io, 'stderr'>, sentence: string): void {
  stderr.write(`sluice: ${toSentence(sentence)}\n`)
}
