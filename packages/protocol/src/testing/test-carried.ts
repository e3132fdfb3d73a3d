import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Dialect } from '../dialect.ts'
import { eventKinds, type SluiceEvent } from '../events.ts'
import { isJsonObject, isSameJson, type JsonObject, type JsonValue } from '../json.ts'
import { anyEntries } from './arbitrary-events.ts'
import { createHits } from './hits.ts'
import { runs } from './runs.ts'
import { encodeSession, entriesOf, readSession } from './sessions.ts'

/**
 * The fields that the frames of a dialect state themselves, by the kind of the event; for questions and ends
 * also by type and outcome, such as `session-end failed`.
 */
export type StatedFields = Readonly<Record<string, readonly string[]>>

type Mutable = Record<string, JsonValue | undefined>

const alienText = 'Nobody has said this.'
const alienNumber = 7_654_321
const aliens: Readonly<Record<string, readonly JsonValue[]>> = {
  outcome: ['completed', 'cancelled'],
  status: ['success', 'error', 'timeout'],
  risk: ['low', 'medium', 'high'],
  level: ['debug', 'info', 'warning', 'error'],
  target: ['human', 'specialist_agent', 'escalation_queue'],
  irreversible: [true, false],
  percent: [12.345678],
  uri: ['https://nobody.example/'],
  context: [{ nobody: true }],
  error: [{ message: alienText }],
  tools: [[alienText]],
  allowed: [[alienText]],
  choices: [
    [
      { value: alienText, label: 'Yes' },
      { value: 'no', label: 'No' },
    ],
  ],
}

/** Changes to try in one session. */
const maxChanges = 6

/** For a dialect whose frames carry events next to their own fields: the fields count. */
export function testCarried(dialect: Dialect, stated: StatedFields): void {
  test('a change to what is carried never changes what the frame itself says', () => {
    const names = Object.entries(stated).flatMap(([label, keys]) => keys.map((key) => `${label}.${key}`))
    const hits = createHits(names)
    fc.assert(
      fc.property(anyEntries, fc.nat(), (groups, choice) => {
        const session = entriesOf(groups)
        const lines = encodeSession(dialect, session.state, session.entries).map((frame) => frame.data)
        const changes = lines.flatMap((line, index) =>
          changesOf(line, stated, choice).map((change) => ({ ...change, index })),
        )
        const first = choice % Math.max(1, changes.length - maxChanges)
        for (const change of changes.slice(first, first + maxChanges)) {
          const { index, line, label, key } = change
          const { entries } = readSession(dialect, [...lines.slice(0, index), line], { isEnded: false })
          hits.hit(`${label}.${key}`)
          const found = entries.at(-1)?.events.filter((event) => says(event, change))
          expect(found, line.slice(0, 2000)).toEqual([])
        }
      }),
      { numRuns: runs(300) },
    )
    expect(hits.missing(`${dialect.id}, changed fields of carried events`)).toEqual([])
  })
}

interface Change {
  readonly line: string
  readonly label: string
  readonly key: string
  readonly value: JsonValue
}

/** The frame with another value in each field that it both states and carries. */
function changesOf(line: string, stated: StatedFields, choice: number): readonly Change[] {
  if (!line.includes('"sluice"')) return []
  const carried = carriedIn(JSON.parse(line) as JsonValue)
  if (carried === undefined) return []
  const label = [carried['kind'], carried['question'] ?? carried['outcome']]
    .filter((name) => name !== undefined)
    .join(' ')
  const fields = Object.keys(carried).filter((key) => stated[label]?.includes(key) === true)
  return fields.flatMap((key) => {
    const frame = JSON.parse(line) as JsonObject
    const value = alienFor(key, carried[key], choice)
    const target = carriedIn(frame)
    if (value === undefined || target === undefined) return []
    target[key] = value
    return [{ line: JSON.stringify(frame), label, key, value }]
  })
}

function alienFor(key: string, value: JsonValue | undefined, choice: number): JsonValue | undefined {
  const others = aliens[key]?.filter((other) => !isSameJson(other, value))
  if (others !== undefined) return others[choice % Math.max(1, others.length)]
  return typeof value === 'number' ? alienNumber : alienText
}

/** The event that a frame carries under `sluice`, for changes in place. */
function carriedIn(value: JsonValue | undefined): Mutable | undefined {
  if (!isJsonObject(value)) return undefined
  const { sluice } = value
  if (isJsonObject(sluice)) {
    const event = isJsonObject(sluice['event']) ? sluice['event'] : sluice
    return eventKinds.some((kind) => kind === event['kind']) ? (event as Mutable) : undefined
  }
  for (const key in value) {
    const found = carriedIn(value[key])
    if (found !== undefined) return found
  }
  return undefined
}

function says(event: SluiceEvent, { label, key, value }: Change): boolean {
  if (!label.startsWith(event.kind) || event.meta?.implied === true) return false
  const said = (event as unknown as JsonObject)[key] // an event is plain JSON
  if (key !== 'error' || !isJsonObject(said)) return isSameJson(said, value)
  return said['message'] === alienText
}
