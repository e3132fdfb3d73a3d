import type { Entry, SluiceEvent } from '@sluice/protocol'
import { describeEvent } from './event-line.ts'
import { toSafeText } from './safe-text.ts'

/** A session as a text that a person reads while it grows. */
export interface Transcript {
  /** What to write for one more entry. */
  step(entry: Pick<Entry, 'events'>): string
  /** What closes the text, such as the end of an open line. */
  end(): string
}

type TextDelta = Extract<SluiceEvent, { kind: 'text-delta' }>

/** Answers flow as they come; everything else is a line of its own that begins with a mark. */
export function createTranscript(): Transcript {
  let flow: string | undefined
  let isMidLine = false

  const breakLine = (): string => {
    const text = isMidLine ? '\n' : ''
    isMidLine = false
    flow = undefined
    return text
  }

  const writeDelta = ({ output, take, channel, text }: TextDelta): string => {
    if (text === '') return ''
    const place = `${channel} ${take} ${output}`
    const opening = flow === place ? '' : breakLine() + (channel === 'reasoning' ? '(reasoning) ' : '')
    const safe = toSafeText(text)
    flow = place
    isMidLine = !safe.endsWith('\n')
    return opening + safe
  }

  const writeEvent = (event: SluiceEvent): string => {
    if (event.kind === 'text-delta') return writeDelta(event)
    const line =
      event.meta?.implied === true && event.kind !== 'session-end' ? undefined : describeEvent(event)
    return line === undefined ? '' : `${breakLine()}${line}\n`
  }

  return { step: ({ events }) => events.map(writeEvent).join(''), end: breakLine }
}
