import type { Iteration } from '../iterate.ts'
import type { Input } from '../resources.ts'
import type { SubscriptionItem } from '../subscription.ts'

/** What people send to an agent besides answers, which go to the question that was asked. */
export type SessionInput = Exclude<Input, { readonly type: 'answer' }>

/** The cancels and messages among all inputs, to the end of the session. */
export function pickInputs(inputs: Iteration<SubscriptionItem<Input>>): Iteration<SessionInput> {
  return {
    async next() {
      for (;;) {
        const { value } = await inputs.next()
        if (value === undefined || value.type === 'end') {
          await inputs.return()
          return { done: true, value: undefined }
        }
        if (value.type === 'frame' && value.frame.type !== 'answer')
          return { done: false, value: value.frame }
      }
    },
    async return() {
      await inputs.return()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
