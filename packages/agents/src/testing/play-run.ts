import {
  type Agent,
  type Run,
  type RunCompletion,
  type RunOutput,
  type RunProcess,
  type RunRequest,
  SluiceError,
  type SluiceEvent,
  systemClock,
} from '@sluice/protocol'

/** A run from its start to its end. */
export interface PlayedRun {
  readonly outputs: readonly RunOutput[]
  /** The events of all outputs that are events. */
  readonly events: readonly SluiceEvent[]
  readonly completion: RunCompletion | SluiceError
  readonly process: RunProcess | undefined
}

/** Runs an agent to its end. `during` gets each output, and the run, to answer or to cancel it. */
export async function playRun(
  agent: Agent,
  request: RunRequest,
  during: (output: RunOutput, run: Run) => void = () => {},
): Promise<PlayedRun> {
  let process: RunProcess | undefined
  const run = agent.run(request, {
    clock: systemClock,
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
