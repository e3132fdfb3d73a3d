import type { JsonValue, SluiceEvent } from '@sluice/protocol'
import fc from 'fast-check'
import type { CliMapper, CliOptions, Mapped, Verdict } from '../cli/cli-agent.ts'
import type { CheckedRequest } from '../request/checked-request.ts'

/** A request for nothing but an answer, with these values added. */
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

/** What a mapper returns for each line, and for the end after the last. */
export interface Replayed {
  readonly steps: readonly Omit<Mapped<unknown>, 'state'>[]
  readonly events: readonly SluiceEvent[]
  /** The first verdict. */
  readonly verdict: Verdict | undefined
}

const options: CliOptions = { permissions: 'deny', askTimeoutMs: 1000 }

export function replay<S>(
  mapper: CliMapper<S>,
  lines: readonly JsonValue[],
  {
    request = toRequest(),
    startedAt,
  }: { readonly request?: CheckedRequest | undefined; readonly startedAt?: number | undefined } = {},
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

/** Recorded JSON lines with mutations: values replaced, lines repeated, reordered or left out. */
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

/** The line with another value at one place, counted through all members. */
function withMember(line: JsonValue, place: number, value: JsonValue): JsonValue {
  let count = 0
  return JSON.parse(JSON.stringify(line), (_, member) => (count++ === place ? value : member))
}
