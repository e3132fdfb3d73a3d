import type { Ref } from 'react'
import { Dialog } from '../shell/dialog.tsx'
import { SignInForm } from './sign-in-form.tsx'

/** Lets a caller who may read without a key sign in to do more. */
export function SignInDialog({ ref }: { readonly ref: Ref<HTMLDialogElement> }) {
  return (
    <Dialog title="Sign in" ref={ref}>
      <SignInForm />
    </Dialog>
  )
}
