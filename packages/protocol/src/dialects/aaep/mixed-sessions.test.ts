import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Entry } from '../../entry.ts'
import type { SluiceEvent } from '../../events.ts'
import { closeEntry, foldEntry } from '../../fold.ts'
import { admit, createIntake, parseFrame } from '../../intake.ts'
import { createSessionState } from '../../session-state.ts'
import { settle } from '../../settle.ts'
import { encodeSession, readSession } from '../../testing/sessions.ts'
import { aaep } from './index.ts'

function linesOf(name: string): readonly string[] {
  return readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
}

/** What a second producer, or the gateway itself, may say in between. */
const others: readonly (readonly SluiceEvent[])[] = [
  [{ kind: 'notice', level: 'info', text: 'Somebody is listening.' }],
  [{ kind: 'state-change', to: 'deciding' }],
  [
    { kind: 'text-delta', output: 'main', take: 0, position: 0, text: '💡', channel: 'answer' },
    { kind: 'tool-call', call: 'x', tool: 'search' },
  ],
  [{ kind: 'question-close', token: 'rpl_book1', how: 'answered', decision: 'accept', by: 'user:ada' }],
  [{ kind: 'tool-call-delta', call: 'none', argsText: '{}' }],
]

type Said = { readonly text: string } | { readonly events: readonly SluiceEvent[] }

/** The entries of one session: AAEP frames, and events from elsewhere. */
function admitted(id: string, said: readonly Said[]): Entry[] {
  let intake = createIntake(createSessionState({ id }))
  const entries: Entry[] = []
  for (const [index, item] of said.entries()) {
    const at = Date.UTC(2026, 4, 24, 14, 22, index)
    if ('text' in item) {
      const parsed = parseFrame(item.text)
      const admission = parsed.ok ? admit(intake, parsed.frame, { dialect: aaep, at }) : undefined
      intake = admission?.intake ?? intake
      if (admission?.ok === true) entries.push(admission.entry)
      continue
    }
    const settled = settle(intake.session, item.events)
    const entry: Entry = {
      seq: intake.session.seq + 1,
      at,
      source: { dialect: 'none' },
      direction: 'event',
      clean: true,
      events: settled.events,
      diagnostics: [],
    }
    intake = { ...intake, session: closeEntry(settled.state, entry) }
    entries.push(entry)
  }
  return entries
}

test.each([
  ['every-event.ndjson', 'sess_2c91a7b4d23f1e88'],
  ['numbered-and-plain.ndjson', 'sess_00ff'],
])('%s with somebody else in between comes out in order, and the same from any entry', (name, id) => {
  const own = linesOf(name).map((text) => ({ text }))
  for (const events of others) {
    for (let at = 1; at < own.length; at++) {
      const entries = admitted(id, [...own.slice(0, at), { events }, ...own.slice(at)])
      const frames = encodeSession(aaep, { id }, entries)
      const texts = frames.map(({ data }) => data)
      expect(readSession(aaep, texts).findings, `${events[0]?.kind} at ${at}`).toEqual([])
      let session = createSessionState({ id })
      for (const entry of entries) {
        session = foldEntry(session, entry)
        let { state } = aaep.encode.enter(session, { seq: entry.seq })
        const rest: string[] = []
        for (const later of entries.slice(entry.seq + 1)) {
          const encoded = aaep.encode.step(state, later)
          state = encoded.state
          rest.push(...encoded.frames.map(({ data }) => data))
        }
        expect(rest).toEqual(texts.slice(texts.length - rest.length))
      }
    }
  }
})
