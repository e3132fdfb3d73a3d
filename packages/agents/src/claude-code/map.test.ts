import { readdirSync, readFileSync } from 'node:fs'
import {
  createSessionState,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type RunAnswer,
  type SluiceEvent,
  settle,
  tableValues,
} from '@sluice/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CliOptions, Mapped } from '../cli/cli-agent.ts'
import type { CheckedRequest } from '../request/checked-request.ts'
import { mutatedLines, toRequest } from '../testing/replay.ts'
import { runs } from '../testing/runs.ts'
import { mapper } from './map.ts'
import { toArray, toObject, toText } from './native-json.ts'
import type { ClaudeState } from './state.ts'

const fixtures = new URL('./fixtures/', import.meta.url)
const names = readdirSync(fixtures)
  .filter((name) => name.endsWith('.ndjson'))
  .map((name) => name.replace('.ndjson', ''))

type Step = Omit<Mapped<unknown>, 'state'>

/** The lines of a recording: what Claude Code printed, and what it received. */
function readFixture(name: string): readonly JsonObject[] {
  const lines = readFileSync(new URL(`${name}.ndjson`, fixtures), 'utf8')
    .trimEnd()
    .split('\n')
  return lines.map((line): JsonObject => toObject(JSON.parse(line)))
}

/** The request of a recording, as its command line shows it. */
function requestOf(recording: readonly JsonObject[]): { request: CheckedRequest; options: CliOptions } {
  const args = toArray(recording[0]?.['args']).map(toText)
  const asks = args.some((arg) => arg.includes('input-format'))
  const resume = args.find((arg) => arg.startsWith('--resume='))?.slice('--resume='.length)
  const model = args.find((arg) => arg.startsWith('--model='))?.slice('--model='.length)
  return {
    request: toRequest({ model, resume: resume === undefined ? undefined : { selector: 'id', id: resume } }),
    options: { permissions: asks ? 'ask' : 'deny', askTimeoutMs: 1000 },
  }
}

/** The person's answer that caused this line of ours. */
function answerIn(line: JsonObject): RunAnswer | undefined {
  const { request_id: token, response } = toObject(line['response'])
  const { behavior, updatedInput } = toObject(response)
  if (line['type'] !== 'control_response' || typeof token !== 'string') return undefined
  const [answer] = Object.values(toObject(toObject(updatedInput)['answers']))
  if (typeof answer === 'string') return { token, how: 'answered', response: answer }
  return { token, how: 'answered', decision: behavior === 'allow' ? 'accept' : 'reject' }
}

/**
 * Plays a recording: feeds the printed lines to the mapper, and turns the written ones into answers and
 * messages at that point.
 */
function play(recording: readonly JsonObject[]): readonly Step[] {
  const { request, options } = requestOf(recording)
  let state: ClaudeState = { ...mapper.initial(request, options), seed: '00000000-0000-4000-8000-' }
  const steps: Step[] = []
  const take = (mapped: Mapped<ClaudeState> | undefined): void => {
    if (mapped === undefined) return
    const { state: next, ...step } = mapped
    state = next
    steps.push(step)
  }
  for (const { out, in: line } of recording) {
    if (out !== undefined) take(mapper.step(state, out))
    if (!isJsonObject(line)) continue
    const answer = answerIn(line)
    if (answer !== undefined) take(mapper.answer?.(state, answer))
    const isMessage = line['type'] === 'user' && line['uuid'] !== undefined
    if (isMessage) take(mapper.message?.(state, toText(toObject(line['message'])['content'])))
  }
  take(mapper.end(state))
  return steps
}

const eventsOf = (steps: readonly Step[]): readonly SluiceEvent[] => steps.flatMap(({ events }) => events)

function settleAll(events: readonly SluiceEvent[]): ReturnType<typeof settle> {
  return settle(createSessionState({ id: 'sess_1' }), [{ kind: 'session-start' }, ...events])
}

describe.each(names)('what Claude Code prints in %s', (name) => {
  test('becomes its golden', async () => {
    const steps = play(readFixture(name)).filter(
      (step) => Object.keys(step).length > 1 || step.events.length > 0,
    )
    const golden = steps.map((step) => `${JSON.stringify(step)}\n`).join('')
    await expect(golden).toMatchFileSnapshot(new URL(`${name}.events`, fixtures).pathname)
  })

  test('is in order as it is', () => {
    const events = eventsOf(play(readFixture(name)))
    const settled = settleAll(events).events
    expect(settled.map(({ kind }) => kind)).toEqual(['session-start', ...events.map(({ kind }) => kind)])
    expect(settled.filter(({ meta }) => meta?.implied === true)).toEqual([])
  })

  test('is answered as it was', () => {
    const recording = readFixture(name)
    const written = play(recording).flatMap(({ write = [] }) =>
      write.map((line): JsonValue => JSON.parse(line)),
    )
    const ours = recording.flatMap(({ in: line }) => (isJsonObject(line) ? [line] : []))
    // The first line is the prompt, which the command writes. A recording may contain an interrupt, which we
    // never send.
    expect(written).toEqual(ours.slice(1).filter(({ type }) => type !== 'control_request'))
  })

  test('is the end of the run once, where it is', () => {
    const verdicts = play(readFixture(name)).filter(({ verdict }) => verdict !== undefined)
    expect(verdicts).toHaveLength(1)
  })

  test('and whatever else comes in its place is read, and its texts end', () => {
    const recording = readFixture(name)
    const printed = recording.flatMap(({ out }) => (out === undefined ? [] : [out]))
    fc.assert(
      fc.property(mutatedLines(printed), (lines) => {
        const events = eventsOf(play([...recording.slice(0, 1), ...lines.map((out) => ({ out }))]))
        const { state } = settleAll(events)
        expect(tableValues(state.outputs).filter(({ open }) => open)).toEqual([])
        expect(JSON.parse(JSON.stringify(events))).toEqual(events)
      }),
      { numRuns: runs(25) },
    )
  })
})
