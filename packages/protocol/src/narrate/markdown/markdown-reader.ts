import { omitUndefined } from '../../omit-undefined.ts'
import { createSegmenter } from '../../segment/segmenter.ts'
import { fill } from '../phrases/fill.ts'
import type { NarrationPhrases } from '../phrases/narration-phrases.ts'
import { toSpokenLine } from '../spoken-text.ts'
import type { TextReader } from '../text-reader.ts'
import type { Utterance } from '../utterance.ts'
import { announceCode } from './code-block.ts'
import { type CodeFence, openFence } from './code-fence.ts'
import { speakInline } from './inline.ts'
import { foresee, isUnderline, type Line, readLine, unquote } from './line.ts'
import { createRunningText, type RunningText } from './running-text.ts'
import { cellsOf, isDelimiterRow, tellHead, tellRow } from './table.ts'

/** The bound on text that waits for the end of its line, and on the spoken part of a heading or a row. */
const maxLineLength = 4000

/**
 * Reads Markdown for the ear. It knows headings, lists, task lists, quotations, fenced code, tables, links,
 * images, emphasis and code spans. Everything else (HTML, footnotes, formulas, code that is only indented) is
 * read as plain text.
 */
export function createMarkdownReader(phrases: NarrationPhrases, language?: string): TextReader {
  const segmenter = createSegmenter(language)
  const said: Utterance[] = []
  let line = ''
  /** The start of this line has already gone to the running text. */
  let isInLine = false
  let isQuoted = false
  let running: RunningText | undefined
  let fence: CodeFence | undefined
  let columns: readonly string[] | undefined
  let indents: readonly number[] = []

  const say = (...texts: readonly string[]): void => {
    for (const text of texts.map(toSpokenLine)) if (text !== '') said.push(omitUndefined({ text, language }))
  }

  const sayHeading = (text: string): void => {
    const heading = speakInline(text.slice(0, maxLineLength), phrases)
    if (heading !== '') say(fill(phrases.heading, { text: heading }))
  }

  const finishRunning = (): void => {
    if (running !== undefined) say(...running.flush())
    running = undefined
    isInLine = false
  }

  const startRunning = (introduce: (text: string) => string): RunningText => {
    finishRunning()
    running = createRunningText(introduce, segmenter, phrases)
    return running
  }

  const startText = (): RunningText => {
    const isQuotation = isQuoted
    return startRunning((text) => (isQuotation ? fill(phrases.quote, { text }) : text))
  }

  const startItem = ({ indent, number, isDone }: Extract<Line, { kind: 'item' }>): RunningText => {
    indents = [...indents.filter((outer) => outer < indent), indent]
    const level = indents.length
    return startRunning((text) => {
      if (number !== undefined) return `${number} ${text}`
      if (isDone !== undefined) return fill(isDone ? phrases.taskDone : phrases.taskOpen, { text })
      return level === 1 ? fill(phrases.bullet, { text }) : fill(phrases.bulletAt, { level, text })
    })
  }

  const finishFence = (isFinished: boolean): void => {
    if (fence !== undefined) said.push(announceCode(fence.end(isFinished), phrases))
    fence = undefined
  }

  /** The line above may be the head of a table, or a heading. */
  const takeUnderline = (text: string): boolean => {
    const above = running?.onlyLine
    if (above === undefined) return false
    if (isDelimiterRow(text) && above.includes('|')) {
      columns = cellsOf(above, phrases)
      say(tellHead(columns, phrases))
    } else if (isUnderline(text) && indents.length === 0) sayHeading(above)
    else return false
    running = undefined
    return true
  }

  const takeBlock = (text: string): void => {
    const read = readLine(text)
    if (read.kind !== 'text') finishRunning()
    if (read.kind === 'heading') sayHeading(read.text)
    if (read.kind === 'fence') fence = openFence(read)
    if (read.kind === 'heading' || (read.kind === 'text' && isNewParagraph(text))) indents = []
    if (read.kind !== 'text' && read.kind !== 'item') return
    const open = read.kind === 'item' ? startItem(read) : (running ?? startText())
    say(...open.append(read.text), ...open.endLine())
  }

  const isNewParagraph = (text: string): boolean => running === undefined && !/^\s/.test(text)

  const takeLine = (whole: string): void => {
    if (isInLine && running !== undefined) {
      isInLine = false
      say(...running.append(whole), ...running.endLine())
      return
    }
    const { text, isQuoted: hasMark } = unquote(whole)
    if (fence !== undefined) {
      if (fence.take(isQuoted ? text : whole)) finishFence(true)
      return
    }
    // Text without the mark continues the quotation above it.
    if (hasMark !== isQuoted && (hasMark || readLine(text).kind !== 'text')) finishRunning()
    if (hasMark || running === undefined) isQuoted = hasMark
    if (columns !== undefined && text.includes('|')) {
      say(tellRow(columns, text.slice(0, maxLineLength), phrases))
      return
    }
    columns = undefined
    if (!takeUnderline(text)) takeBlock(text)
  }

  /** The start of a line that can only be text need not wait for the rest. */
  const takeStart = (): void => {
    if (line === '' || fence !== undefined || columns !== undefined) return
    if (isInLine && running !== undefined) say(...running.append(line))
    else {
      const { text, isQuoted: hasMark } = unquote(line)
      const kind = foresee(text) ?? (line.length > maxLineLength ? 'text' : undefined)
      if (kind === undefined) return
      if ((hasMark && !isQuoted) || kind === 'item') finishRunning()
      if (hasMark || running === undefined) isQuoted = hasMark
      const read = readLine(text)
      if (read.kind !== 'item' && isNewParagraph(text)) indents = []
      const open = read.kind === 'item' ? startItem(read) : (running ?? startText())
      say(...open.append(read.kind === 'item' ? read.text : text.trimStart()))
      isInLine = true
    }
    line = ''
  }

  const drain = (): readonly Utterance[] => said.splice(0)

  return {
    push(text) {
      const [first = '', ...more] = text.replaceAll('\r', '').split('\n')
      // A line of code or of a table has no bound, but nothing after this length is spoken anyway.
      if (line.length < maxLineLength * 4) line += first
      for (const start of more) {
        const whole = line
        line = start
        takeLine(whole)
      }
      takeStart()
      return drain()
    },
    interrupt() {
      if (running !== undefined) say(...running.flush())
      return drain()
    },
    end() {
      if (line !== '') takeLine(line)
      line = ''
      finishFence(false)
      finishRunning()
      return drain()
    },
  }
}
