import { type Input, omitUndefined, type Run } from '@sluice/protocol'
import type { Session } from '../../kernel/sessions/session.ts'
import { messageNotTaken, textOf } from './run-events.ts'

export interface RunInputParts {
  readonly session: Session
  /** Undefined while the run waits for its turn. */
  run(): Run | undefined
  cancel(by: string | undefined): void
  onFailure(error: unknown): void
}

/** Passes the inputs of people to a session on to its run. */
export function createRunInputs({ session, run, cancel, onFailure }: RunInputParts): (input: Input) => void {
  const tellNotTaken = (): void => {
    session
      .write((writer) =>
        writer.make((state) => (state.end === undefined ? [messageNotTaken] : undefined), {
          direction: 'system',
          source: { dialect: 'sluice' },
        }),
      )
      .catch(onFailure)
  }

  return (input) => {
    switch (input.type) {
      case 'cancel':
        cancel(input.by)
        break
      case 'answer': {
        const { token, how, decision, response } = input
        run()?.answer({
          token,
          how,
          ...omitUndefined({ decision, response }),
        })
        break
      }
      case 'message': {
        const text = textOf(input.parts)
        if (text === undefined || run()?.message(text) !== true) tellNotTaken()
      }
    }
  }
}
