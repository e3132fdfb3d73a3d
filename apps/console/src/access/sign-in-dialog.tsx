import type { Ref } from 'react'
import { Dialog } from '../shell/dialog.tsx'
import { SignInForm } from './sign-in-form.tsx'

/** For who may read without a key, and wants to do more. */
export function SignInDialog({ ref }: { readonly ref: Ref<HTMLDialogElement> }) {
  return (
    <Dialog title="Sign in" ref={ref}>
      <SignInForm />
    </Dialog>
  )
}
