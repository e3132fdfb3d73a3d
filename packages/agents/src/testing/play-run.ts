import type {
  Agent,
  Run,
  RunCompletion,
  RunOutput,
  RunProcess,
  RunRequest,
  SluiceEvent,
} from '@sluice/protocol'
import { SluiceError } from '@sluice/protocol'
import { realClock } from './real-clock.ts'

/** A run from its start to its end. */
export interface PlayedRun {
  readonly outputs: readonly RunOutput[]
  /** The events of all outputs that are events. */
  readonly events: readonly SluiceEvent[]
  readonly completion: RunCompletion | SluiceError
  readonly process: RunProcess | undefined
}

/** Runs an agent to its end. `during` sees each output as it comes, and the run: to answer, to cancel. */
export async function playRun(
  agent: Agent,
  request: RunRequest,
  during: (output: RunOutput, run: Run) => void = () => {},
): Promise<PlayedRun> {
  let process: RunProcess | undefined
  const run = agent.run(request, {
    clock: realClock,
    async onProcess(started) {
      process = started
    },
  })
  const outputs: RunOutput[] = []
  for await (const output of run.outputs) {
    outputs.push(output)
    during(output, run)
  }
  const completion = await run.completion.catch((error: unknown) => {
    if (error instanceof SluiceError) return error
    throw error
  })
  const events = outputs.flatMap((output) => (output.type === 'events' ? output.events : []))
  return { outputs, events, completion, process }
}
