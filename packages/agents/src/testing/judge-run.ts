import {
  createSessionState,
  type SessionState,
  SluiceError,
  type SluiceEvent,
  settle,
  tableValues,
} from '@sluice/protocol'
import { expect } from 'vitest'
import { groupMembers } from '../process/group-members.ts'
import { markedProcesses } from '../process/marked-processes.ts'
import { sentinels } from './cli-script.ts'
import type { PlayedRun } from './play-run.ts'

/** Checks what must hold for every run, whatever its program did. Resolves to the session after the run. */
export async function judgeRun(run: PlayedRun): Promise<SessionState> {
  if (run.process !== undefined) {
    expect(await groupMembers(run.process.pid)).toEqual([])
    expect(await markedProcesses(run.process.marker)).toEqual([])
  }
  const failures = run.events.filter(isFailure)
  if (run.completion instanceof SluiceError && run.completion.code === 'run_failed') {
    expect(failures).toEqual([expect.objectContaining({ text: run.completion.message })])
    expect(run.events.at(-1)).toBe(failures[0])
  } else expect(failures).toEqual([])
  expectSilence(run)
  const state = expectOrder(run.events)
  if (!isCancelled(run)) expect(tableValues(state.outputs).filter(({ open }) => open)).toEqual([])
  return state
}

/** An error that ends the run; a malformed line does not. */
function isFailure(event: SluiceEvent): boolean {
  return event.kind === 'notice' && event.level === 'error' && event.code !== 'malformed_line'
}

function isCancelled({ completion }: PlayedRun): boolean {
  return completion instanceof SluiceError && completion.code === 'run_cancelled'
}

/** Settling adds nothing to the events, and leaves nothing out. */
function expectOrder(events: readonly SluiceEvent[]): SessionState {
  const start: SluiceEvent = { kind: 'session-start' }
  const { state, events: settled } = settle(createSessionState({ id: 'sess_1' }), [start, ...events])
  expect(settled.map(({ kind }) => kind)).toEqual(['session-start', ...events.map(({ kind }) => kind)])
  expect(settled.filter(({ meta }) => meta?.implied === true)).toEqual([])
  return state
}

/** The sentinels appear only in the arguments and results of tools. */
function expectSilence({ events, completion }: PlayedRun): void {
  const told = [
    ...events.map(withoutPayload),
    completion instanceof SluiceError ? completion.message : completion,
  ]
  const text = JSON.stringify(told)
  expect(Object.values(sentinels).filter((sentinel) => text.includes(sentinel))).toEqual([])
}

function withoutPayload(event: SluiceEvent): unknown {
  if (event.kind === 'tool-call') return { ...event, args: null }
  if (event.kind === 'tool-result') return { ...event, result: null }
  return event
}

/** The text of all messages, in order. */
export function answerOf(state: SessionState): string {
  return tableValues(state.outputs)
    .filter(({ channel }) => channel === 'answer')
    .map(({ text }) => text)
    .join('')
}

/** The same, however long it is: a state holds only a part of a long text. */
export function answerIn(events: readonly SluiceEvent[]): string {
  return events
    .map((event) => (event.kind === 'text-delta' && event.channel === 'answer' ? event.text : ''))
    .join('')
}
