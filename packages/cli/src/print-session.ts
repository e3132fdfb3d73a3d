import type { SluiceFrame, SubscriptionItem } from '@sluice/client'
import { encodeNdjson, type Outcome, type SluiceEvent } from '@sluice/protocol'
import type { Io } from './io.ts'
import { createOutput } from './output.ts'
import { say } from './say.ts'
import { createTranscript } from './transcript.ts'

type Items<Frame> = AsyncIterable<SubscriptionItem<Frame>>

const gapSentence = 'The session has no such cursor; reading starts from the beginning.'

/** Writes a session as text for a person; `besides` adds to it. Returns the outcome if the session ended. */
export async function printText(
  items: Items<SluiceFrame>,
  io: Io,
  besides: (events: readonly SluiceEvent[]) => string = () => '',
): Promise<Outcome | undefined> {
  const out = createOutput(io.stdout)
  const transcript = createTranscript(io.stdout)
  let outcome: Outcome | undefined
  for await (const item of items) {
    if (item.type === 'frame') out.write(transcript.step(item.frame) + besides(item.frame.events))
    else if (item.type === 'gap') out.write(`${transcript.end()}! ${gapSentence}\n`)
    else {
      out.write(transcript.end())
      outcome = item.outcome
    }
    await out.flush()
  }
  return outcome
}

/** Writes a session as the frames of a dialect, one per line. */
export async function printFrames<Frame>(
  items: Items<Frame>,
  io: Io,
  look: (frame: Frame) => void = () => {},
): Promise<Outcome | undefined> {
  const out = createOutput(io.stdout)
  let outcome: Outcome | undefined
  for await (const item of items) {
    if (item.type === 'frame') {
      out.write(encodeNdjson(item.text ?? JSON.stringify(item.frame)))
      look(item.frame)
    } else if (item.type === 'gap') say(io, gapSentence)
    else outcome = item.outcome
    await out.flush()
  }
  return outcome
}
