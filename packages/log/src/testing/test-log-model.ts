import { omitUndefined } from '@sluice/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Log } from '../log.ts'
import type { LogDriver } from './log-driver.ts'
import {
  applyAppend,
  applyDelete,
  applyRetire,
  createLogModel,
  type LogModel,
  type Operation,
  seeLog,
  seeModel,
  toAppend,
} from './log-model.ts'
import { runs } from './runs.ts'
import { bytesOf, codeOf } from './write-session.ts'

const sessions = ['sess_a', 'sess_b', 'sess_c']
const session = fc.constantFrom(...sessions)
const time = fc.integer({ min: 1, max: 9 })
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const mostlyZero = fc.oneof(
  { weight: 9, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constant(1) },
)

const append = fc.record({
  kind: fc.constant('append' as const),
  session,
  lease: mostlyZero,
  shift: mostlyZero,
  texts: fc.array(fc.string({ maxLength: 12 }), { maxLength: 3 }),
  at: time,
  ends: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  producer: maybe(fc.record({ epoch: fc.nat(3), seq: fc.nat(9) })),
  mark: maybe(
    fc.record({ name: fc.constantFrom('q', 'r'), value: fc.constantFrom(null, 1, 'one', { deep: [true] }) }),
  ),
  info: maybe(fc.constantFrom('x', 'y')),
})

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('open' as const), session }) },
  { weight: 20, arbitrary: append },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('checkpoint' as const), session, seq: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), session }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('retire' as const),
      endedBefore: maybe(time),
      maxBytes: maybe(fc.nat(40)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
)

/** Any sequence of operations leaves a log as it leaves the plainest model of one, and fails where that one fails. */
export function testLogModel(driver: LogDriver): void {
  test('any operations leave it as they leave a model', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
        const bench = await driver.create()
        try {
          const model = createLogModel()
          let log = await bench.open()
          for (const one of operations) {
            if (one.kind === 'reopen' && driver.survivesRestart) {
              await log.close()
              model.leases.clear()
              log = await bench.open()
            } else {
              await applyToBoth(log, model, one)
            }
          }
          expect(await seeLog(bench, log, sessions)).toEqual(seeModel(model, sessions))
          if (driver.survivesRestart) {
            await log.close()
            log = await bench.open()
            expect(await seeLog(bench, log, sessions)).toEqual(seeModel(model, sessions))
          }
          await log.close()
        } finally {
          await bench.dispose()
        }
      }),
      { numRuns: runs(driver.modelRuns) },
    )
  })
}

async function applyToBoth(log: Log, model: LogModel, one: Operation): Promise<void> {
  switch (one.kind) {
    case 'open': {
      if (model.deleted.has(one.session)) {
        expect(await codeOf(log.openWriter(one.session))).toBe('session_deleted')
        return
      }
      const lease = await log.openWriter(one.session)
      model.leases.set(one.session, [lease, ...(model.leases.get(one.session) ?? [])])
      return
    }
    case 'append': {
      const append = toAppend(model, one)
      if (append === undefined) return
      const expected = applyAppend(model, one)
      expect(await codeOf(log.append(append))).toBe(expected)
      return
    }
    case 'checkpoint':
      model.sessions.get(one.session)?.checkpoints.add(one.seq)
      await log.putCheckpoint(one.session, { seq: one.seq, bytes: bytesOf('state') })
      return
    case 'delete': {
      const expected = applyDelete(model, one.session)
      expect(await log.delete(one.session)).toBe(expected)
      return
    }
    case 'retire': {
      const { endedBefore, maxBytes } = one
      const expected = applyRetire(model, endedBefore, maxBytes)
      const rule = omitUndefined({
        endedBefore,
        maxBytes,
      })
      expect(await log.retire(rule)).toEqual(expected)
      return
    }
    case 'reopen':
      return
  }
}
