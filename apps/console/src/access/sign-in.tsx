import { useId } from 'react'
import { SignInForm } from './sign-in-form.tsx'

/** The page for a caller who may not even read. */
export function SignIn() {
  const id = useId()
  return (
    <section className="card sign-in" aria-labelledby={`${id}-title`}>
      <h1 id={`${id}-title`}>Sign in</h1>
      <p>This gateway shows its sessions to those who have a key.</p>
      <SignInForm />
    </section>
  )
}
