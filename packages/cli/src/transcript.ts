import type { Entry, SluiceEvent } from '@sluice/protocol'
import { describeEvent } from './event-line.ts'
import type { Terminal } from './io.ts'
import { escapeControls } from './safe-text.ts'
import { margin, wrapFrom } from './wrap-text.ts'

/** A session as a text that a person reads while it grows. */
export interface Transcript {
  /** What to write for one more entry. */
  step(entry: Pick<Entry, 'events'>): string
  /** The end of the text, such as the end of an open line. */
  end(): string
}

type TextDelta = Extract<SluiceEvent, { kind: 'text-delta' }>

/**
 * Answers flow as they arrive, indented; everything else is a separate line that begins with a mark. So
 * nothing that an agent says can pass for a question or for the end of its session, even where a terminal
 * breaks a long line.
 */
export function createTranscript(terminal: Pick<Terminal, 'columns'> = {}): Transcript {
  let flow: string | undefined
  let isMidLine = false
  let column = 0

  const write = (text: string): string => {
    const wrapped = wrapFrom(column, text, terminal.columns)
    column = wrapped.column
    return wrapped.text
  }

  const breakLine = (): string => {
    const text = isMidLine ? '\n' : ''
    isMidLine = false
    flow = undefined
    return text
  }

  const writeDelta = ({ output, take, channel, text }: TextDelta): string => {
    if (text === '') return ''
    const place = `${channel} ${take} ${output}`
    const isNew = flow !== place
    const opening = isNew ? breakLine() + (channel === 'reasoning' ? '(reasoning) ' : '') : ''
    const isOnMark = isNew && channel === 'reasoning'
    const safe = escapeControls(text.replace(/\r\n?/g, '\n'))
    const first = isMidLine || isOnMark || safe.startsWith('\n') ? '' : margin
    flow = place
    isMidLine = !safe.endsWith('\n')
    return opening + first + safe.replace(/\n(?=[^\n])/g, `\n${margin}`)
  }

  const writeEvent = (event: SluiceEvent): string => {
    if (event.kind === 'text-delta') return writeDelta(event)
    const line =
      event.meta?.implied === true && event.kind !== 'session-end' ? undefined : describeEvent(event)
    return line === undefined ? '' : `${breakLine()}${line.replace(/[\r\n]+/g, ' ')}\n`
  }

  return {
    step: ({ events }) => write(events.map(writeEvent).join('')),
    end: () => write(breakLine()),
  }
}
