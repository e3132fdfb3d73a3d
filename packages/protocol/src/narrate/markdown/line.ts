/** The kind of a whole line, judged by itself. */
export type Line =
  | { readonly kind: 'blank' | 'rule' | 'definition' }
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'fence'; readonly marks: string; readonly info: string; readonly indent: number }
  | {
      readonly kind: 'item'
      readonly indent: number
      /** `1.` in a numbered list, otherwise undefined. */
      readonly number: string | undefined
      readonly isDone: boolean | undefined
      readonly text: string
    }
  | { readonly kind: 'text'; readonly text: string }

const item = /^(\s*)(?:[-*+•]|(\d{1,9})[.)])(?:\s+(?:\[([ xX])\]\s+)?(.*))?$/s

/** The line without its quotation marks, and whether it had any. */
export function unquote(line: string): { readonly text: string; readonly isQuoted: boolean } {
  const marks = /^(?: {0,3}> ?)+/.exec(line)?.[0] ?? ''
  return { text: line.slice(marks.length), isQuoted: marks !== '' }
}

export function readLine(line: string): Line {
  if (line.trim() === '') return { kind: 'blank' }
  const fence = /^(\s*)(`{3,}|~{3,}(?!~))([^`]*)$/.exec(line)
  if (fence !== null)
    return { kind: 'fence', marks: fence[2] ?? '', info: fence[3] ?? '', indent: (fence[1] ?? '').length }
  if (/^ {0,3}([-*_])\s*(?:\1\s*){2,}$/.test(line)) return { kind: 'rule' }
  const heading = /^ {0,3}#{1,6}(?:\s+(.*))?$/s.exec(line)
  if (heading !== null)
    return { kind: 'heading', text: (heading[1] ?? '').replace(/(?:^|(?<!\s)\s+)#+\s*$/, '').trim() }
  if (/^ {0,3}\[[^\]]+\]:\s*\S+/.test(line)) return { kind: 'definition' }
  const listed = item.exec(line)
  if (listed !== null) {
    const [, indent = '', number, box, text = ''] = listed
    return {
      kind: 'item',
      indent: indent.replaceAll('\t', '    ').length,
      number: number === undefined ? undefined : `${number}.`,
      isDone: box === undefined ? undefined : box !== ' ',
      text,
    }
  }
  return { kind: 'text', text: line.trimStart() }
}

/** `===` or `---` under a line makes it a heading. */
export function isUnderline(line: string): boolean {
  return /^ {0,3}(?:=+|-+)\s*$/.test(line)
}

/**
 * Judges the start of a line: certain to become text, or an item whose text has begun; undefined until more
 * of the line is known.
 */
export function foresee(start: string): 'text' | 'item' | undefined {
  const text = start.trimStart()
  if (text === '') return undefined
  if (/^(?:[-*+•]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?[^\s[\]*_-]/.test(text)) return 'item'
  if (/^(?:[-*+•]|\d{1,9}[.)])(?:\s|$)/.test(text)) return undefined
  return surelyText.test(text) ? 'text' : undefined
}

/** Each possible first mark, with what must follow so that it starts no block. */
const surelyText =
  /^(?:[^#>*+\-•|`~=_:\d[\s]|:[^-\s]|[*_]{1,3}[^\s*_]|`{1,2}[^`]|~{1,2}[^~]|\[[^\]]*\][^:]|\d+[^\d.)]|\d+[.)]\S|[-+][^\s\-+]|#+[^#\s]|=+[^=\s])/u
