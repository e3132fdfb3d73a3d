import type { JsonValue, SluiceEvent } from '@sluice/protocol'
import fc from 'fast-check'
import type { CliMapper, CliOptions, Mapped, Verdict } from '../cli/cli-agent.ts'
import type { CheckedRequest } from '../request/checked-request.ts'

/** A request in which nothing is asked for but an answer, and what else is given. */
export function toRequest(values: Partial<CheckedRequest> = {}): CheckedRequest {
  return {
    prompt: 'go',
    cwd: '/workspace',
    timeoutMs: undefined,
    env: {},
    model: undefined,
    addDirs: [],
    nonInteractive: true,
    externalSandbox: false,
    resume: undefined,
    fork: undefined,
    own: {},
    ...values,
  }
}

/** What a mapper makes of lines: for each line, and for the end behind the last. */
export interface Replayed {
  readonly steps: readonly Omit<Mapped<unknown>, 'state'>[]
  readonly events: readonly SluiceEvent[]
  /** The first that was said. */
  readonly verdict: Verdict | undefined
}

const options: CliOptions = { permissions: 'deny', askTimeoutMs: 1000 }

export function replay<S>(
  mapper: CliMapper<S>,
  lines: readonly JsonValue[],
  request: CheckedRequest = toRequest(),
  startedAt?: number,
): Replayed {
  let state = mapper.initial(request, options, startedAt)
  const take = ({ state: next, ...rest }: Mapped<S>): Omit<Mapped<unknown>, 'state'> => {
    state = next
    return rest
  }
  const steps = [...lines.map((line) => take(mapper.step(state, line))), take(mapper.end(state))]
  return {
    steps,
    events: steps.flatMap(({ events }) => events),
    verdict: steps.find(({ verdict }) => verdict !== undefined)?.verdict,
  }
}

/** Recorded JSON lines with something changed in them: members that are missing or strange, lines twice or not at all. */
export function mutatedLines(lines: readonly JsonValue[]): fc.Arbitrary<readonly JsonValue[]> {
  const values = fc.oneof(
    fc.constantFrom<JsonValue>(null, true, -1, 0.5, 1e308, '', '\ud800', '__proto__', [], [null], {}),
    fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>, // what JSON.parse gives
  )
  const line = fc.constantFrom(...lines).chain((chosen) =>
    fc.oneof(
      fc.constant(chosen),
      fc.tuple(fc.nat(40), values).map(([place, value]) => withMember(chosen, place, value)),
    ),
  )
  return fc.array(line, { maxLength: lines.length * 2 })
}

/** With another value at one place, counted through all members. */
function withMember(line: JsonValue, place: number, value: JsonValue): JsonValue {
  let count = 0
  return JSON.parse(JSON.stringify(line), (_, member) => (count++ === place ? value : member))
}
