import { fill, fillPlural } from '../phrases/fill.ts'
import type { NarrationPhrases } from '../phrases/narration-phrases.ts'
import { speakInline } from './inline.ts'

/** Whether this is the line between the head and the rows of a table. */
export function isDelimiterRow(line: string): boolean {
  return line.includes('-') && line.includes('|') && /^[\s|:-]+$/.test(line)
}

/** The cells of a row, as they are spoken. */
export function cellsOf(row: string, phrases: NarrationPhrases): readonly string[] {
  return row
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => speakInline(cell.trim(), phrases))
}

/** Such as `Table, 2 columns: Name, Age.` */
export function tellHead(names: readonly string[], phrases: NarrationPhrases): string {
  const told = names.filter((name) => name !== '').join(phrases.comma)
  return fill(fillPlural(phrases.table, names.length, phrases.language), { names: told })
}

/** Such as `Name: Ada, Age: 36.`; cells without text are omitted. */
export function tellRow(names: readonly string[], row: string, phrases: NarrationPhrases): string {
  const told = cellsOf(row, phrases).flatMap((text, index) => {
    const name = names[index] ?? ''
    return text === '' ? [] : [name === '' ? text : fill(phrases.cell, { name, text })]
  })
  return told.length === 0 ? '' : told.join(phrases.comma) + phrases.stop
}
