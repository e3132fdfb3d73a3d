import type { CallerResource } from '@sluice/client'
import { useEffect, useId, useRef } from 'react'
import { useAccess } from './access.tsx'

const words = {
  publish: 'publish',
  subscribe: 'read',
  answer: 'answer',
  run: 'run agents',
  admin: 'administer',
}

/** Asks before an opened link signs in as somebody else. Closing the dialog in any way changes nothing. */
export function LinkDialog() {
  const { offer, signIn, declineOffer } = useAccess()
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (offer !== undefined) dialog.current?.showModal()
  }, [offer])
  if (offer === undefined) return null
  const { now, instead, token } = offer
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onClose={declineOffer}
    >
      <div className="dialog-body">
        <h2 id={`${id}-title`}>Sign in as somebody else?</h2>
        <div id={`${id}-text`}>
          <p>
            You are signed in as <Name of={now} />.
          </p>
          <p>
            The link that you opened signs you in as <Name of={instead} />, who may{' '}
            {listWords(instead.actions.map((action) => words[action]))}. What you do from then on is done in
            that name. Go on only if you trust where the link comes from.
          </p>
        </div>
        <form method="dialog" className="dialog-end">
          <button type="submit" className="button button-primary">
            Stay <Name of={now} />
          </button>
          <button type="button" className="button" onClick={() => void signIn(token)}>
            Sign in as <Name of={instead} />
          </button>
        </form>
      </div>
    </dialog>
  )
}

/** A name whose text direction cannot affect the text around it. */
function Name({ of: { subject } }: { readonly of: CallerResource }) {
  return <bdi className="name">{subject}</bdi>
}

function listWords(all: readonly string[]): string {
  return all.length === 0 ? 'do nothing' : new Intl.ListFormat('en').format(all)
}
