import { admit, admitEnd, createIntake, parseFrame, startCursor } from '@sluice/protocol'
import { createBenchSession, openBenchSession } from './session.mjs'

/** Every frame that `dialect` makes of `entries`. */
export function encodeEntries(dialect, entries) {
  const entered = dialect.encode.enter(createBenchSession(), startCursor)
  const frames = entered.frames.map((frame) => frame.data)
  let state = entered.state
  for (const entry of entries) {
    const encoded = dialect.encode.step(state, entry)
    state = encoded.state
    for (const frame of encoded.frames) frames.push(frame.data)
  }
  return frames
}

/** Check and decode: reads `texts` into a session. The floor is JSON.parse alone. */
export function createDecodeWork(from, texts) {
  const session = openBenchSession(from, texts[0])
  return {
    subject() {
      let sink = 0
      readFrames(session, from, texts, (admission) => {
        sink += admission.entry.events.length
      })
      return sink
    },
    floor() {
      let sink = 0
      for (const text of texts) sink += typeof JSON.parse(text) === 'object' ? 1 : 0
      return sink
    },
  }
}

/** Converts `texts` between two dialects. Its floor parses the same input and writes the same output. */
export function createTranscodeWork(from, to, texts) {
  const session = openBenchSession(from, texts[0])
  const outputs = []
  transcode(session, from, to, texts, (data) => outputs.push(JSON.parse(data)))
  return {
    outputCount: outputs.length,
    subject() {
      let sink = 0
      transcode(session, from, to, texts, (data) => {
        sink += touch(data)
      })
      return sink
    },
    // Input and output take turns, as they do in a real conversion.
    floor() {
      let sink = 0
      const count = Math.max(texts.length, outputs.length)
      for (let index = 0; index < count; index++) {
        if (index < texts.length) sink += typeof JSON.parse(texts[index]) === 'object' ? 1 : 0
        if (index < outputs.length) sink += touch(JSON.stringify(outputs[index]))
      }
      return sink
    },
  }
}

/** The faults of `texts`, by code: a benchmark of broken input would measure the wrong thing. */
export function countFaults(from, texts) {
  const counts = {}
  readFrames(openBenchSession(from, texts[0]), from, texts, ({ entry, findings }) => {
    const codes = entry.clean ? [] : ['unclean', ...findings.map(({ code }) => code)]
    for (const code of codes) counts[code] = (counts[code] ?? 0) + 1
  })
  return counts
}

function transcode(session, from, to, texts, onData) {
  const entered = to.encode.enter(session, startCursor)
  let state = entered.state
  for (const frame of entered.frames) onData(frame.data)
  readFrames(session, from, texts, (admission) => {
    const encoded = to.encode.step(state, admission.entry)
    state = encoded.state
    for (const frame of encoded.frames) onData(frame.data)
  })
}

/** Hands each admission of a session to `onAdmitted`. Throws if a frame is refused. */
function readFrames(session, from, texts, onAdmitted) {
  let intake = createIntake(session)
  const note = (admission) => {
    if (!admission.ok) throw new Error(`${from.id} refuses its own frame: ${admission.finding.code}`)
    intake = admission.intake
    onAdmitted(admission)
  }
  for (const text of texts) {
    const parsed = parseFrame(text)
    if (!parsed.ok) throw new Error(`${from.id} writes what is not a frame: ${parsed.finding.code}`)
    note(admit(intake, parsed.frame, { dialect: from, at: intake.session.at + 1 }))
  }
  const ended = admitEnd(intake, { dialect: from, at: intake.session.at + 1 })
  if (ended !== undefined) note(ended)
}

/** Reads the last character, because V8 delays joining the pieces of a string until then. */
function touch(data) {
  return data.charCodeAt(data.length - 1)
}
