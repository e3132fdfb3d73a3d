import type { SessionResource } from '@sluice/client'
import { type SessionActions, useClient } from '@sluice/react'
import { type FormEvent, useId, useState } from 'react'
import { useAccess } from '../access/access.tsx'
import { navigate } from '../router/router.tsx'
import { submitOnEnter } from '../shell/submit-on-enter.ts'
import { Trouble } from '../shell/trouble.tsx'
import { useAction } from '../shell/use-action.ts'

interface FollowUpProps {
  readonly session: Pick<SessionActions, 'send'>
  readonly resource: SessionResource
}

/** A message to a working agent; once the session has ended, the next request of the conversation. */
export function FollowUp({ session, resource }: FollowUpProps) {
  const id = useId()
  const client = useClient()
  const { may } = useAccess()
  const [text, setText] = useState('')
  const { state, context, agent } = resource
  const hasEnded = state === 'ended'
  const isAllowed = hasEnded ? may('run') || agent?.kind === 'demo' : may('answer')
  const { isBusy, error, run } = useAction(async () => {
    if (hasEnded && context !== undefined && agent?.id !== undefined) {
      const next = await client.agents.run(agent.id, { prompt: text, context })
      navigate({ page: 'session', session: next.id, part: 'answer' })
    } else await session.send(text)
    setText('')
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (text.trim() !== '') run()
  }
  if (!isAllowed || (hasEnded && (context === undefined || agent?.id === undefined))) return null

  return (
    <form className="follow-up" onSubmit={submit}>
      <label htmlFor={`${id}-text`}>
        {hasEnded ? 'Follow up in this conversation' : 'Send the agent a message'}
      </label>
      <div className="follow-up-row">
        <textarea
          id={`${id}-text`}
          className="input"
          rows={2}
          dir="auto"
          value={text}
          onKeyDown={submitOnEnter}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" className="button button-primary" aria-disabled={isBusy || text.trim() === ''}>
          {hasEnded ? 'Follow up' : 'Send'}
        </button>
      </div>
      {error !== undefined && <Trouble what="It was not sent." error={error} />}
    </form>
  )
}
