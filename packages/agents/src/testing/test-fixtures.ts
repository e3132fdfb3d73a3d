import { readdirSync, readFileSync } from 'node:fs'
import { createSessionState, type JsonValue, settle } from '@sluice/protocol'
import { describe, expect, test } from 'vitest'
import type { CliMapper } from '../cli/cli-agent.ts'
import { replay } from './replay.ts'

/** What a program printed, by scenario. */
export interface Fixtures {
  readonly names: readonly string[]
  /** Its lines, as the mapper receives them. */
  read(name: string): readonly JsonValue[]
}

/**
 * Tests that every recording beside `module` becomes its golden, with events that settling does not change. A
 * program that prints text has `.txt` files, and its golden leaves out the lines without events or verdict.
 */
export function testFixtures<S>(title: string, mapper: CliMapper<S>, module: string): Fixtures {
  const folder = new URL('./fixtures/', module)
  const isText = mapper.format === 'text'
  const ending = isText ? '.txt' : '.ndjson'
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))

  const read = (name: string): readonly JsonValue[] => {
    const text = readFileSync(new URL(`${name}${ending}`, folder), 'utf8')
    if (isText) return text.split('\n')
    return text
      .trimEnd()
      .split('\n')
      .map((line): JsonValue => JSON.parse(line))
  }

  describe.each(names)(`what ${title} prints in %s`, (name) => {
    const { steps, events } = replay(mapper, read(name))

    test('becomes its golden', async () => {
      const told = isText
        ? steps.filter((step) => step.events.length > 0 || step.verdict !== undefined)
        : steps
      const golden = told.map((step) => `${JSON.stringify(step)}\n`).join('')
      await expect(golden).toMatchFileSnapshot(new URL(`${name}.events`, folder).pathname)
    })

    test('is in order as it is', () => {
      const start = { kind: 'session-start' } as const
      const settled = settle(createSessionState({ id: 'sess_1' }), [start, ...events]).events
      expect(settled.map(({ kind }) => kind)).toEqual(['session-start', ...events.map(({ kind }) => kind)])
      expect(settled.filter(({ meta }) => meta?.implied === true)).toEqual([])
    })
  })
  return { names, read }
}
