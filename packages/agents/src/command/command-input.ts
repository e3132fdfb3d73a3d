import { omitUndefined, type RunAnswer } from '@sluice/protocol'

/** An input for a program that reads inputs: like an input of a session, without its place in the log. */
export type CommandInput = { readonly at: number } & (
  | ({ readonly type: 'answer' } & RunAnswer)
  | { readonly type: 'cancel' }
  | {
      readonly type: 'message'
      readonly id: string
      readonly parts: readonly [{ readonly type: 'text'; readonly text: string }]
    }
)

/** One input as a line. */
export function encodeInput(input: CommandInput): string {
  return `${JSON.stringify(input)}\n`
}

export function toMessage(at: number, number: number, text: string): CommandInput {
  return { type: 'message', at, id: `message_${number}`, parts: [{ type: 'text', text }] }
}

export function toAnswer(at: number, { token, how, decision, response }: RunAnswer): CommandInput {
  return omitUndefined({
    type: 'answer',
    at,
    token,
    how,
    decision,
    response,
  })
}
