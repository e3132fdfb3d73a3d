import { type FormEvent, useId, useState } from 'react'
import { CommandLine } from '../shell/command-line.tsx'
import { Trouble } from '../shell/trouble.tsx'
import { useAccess } from './access.tsx'

/** Trades a key for a login, and explains how to get one. */
export function SignInForm() {
  const id = useId()
  const { trouble, signIn } = useAccess()
  const [token, setToken] = useState('')
  const [isBusy, setBusy] = useState(false)

  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (token.trim() === '') return
    setBusy(true)
    void signIn(token.trim()).finally(() => setBusy(false))
  }

  return (
    <>
      {trouble !== undefined && <Trouble {...trouble} />}
      <p>The operator of the gateway has the link that it printed, and can make keys for others:</p>
      <CommandLine command="npx sluice token create --subject YOU --grant 'subscribe:*' --grant 'answer:*' --grant 'run:*'" />
      <form className="sign-in-form" onSubmit={submit}>
        <label htmlFor={`${id}-token`}>Key or token</label>
        <input
          id={`${id}-token`}
          className="input"
          type="password"
          autoComplete="current-password"
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
        <button type="submit" className="button button-primary" aria-disabled={isBusy}>
          {isBusy ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
    </>
  )
}
