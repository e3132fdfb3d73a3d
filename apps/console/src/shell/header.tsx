import { useRef } from 'react'
import { useAccess } from '../access/access.tsx'
import { SignInDialog } from '../access/sign-in-dialog.tsx'
import { formatCount } from '../format/format-number.ts'
import { useWaiting } from '../notify/waiting.tsx'
import { Link } from '../router/router.tsx'
import { SettingsDialog } from '../settings/settings-dialog.tsx'
import { LeavingButton } from './leaving-button.tsx'
import { useShortcut } from './shortcuts.ts'
import { ShortcutsDialog } from './shortcuts-dialog.tsx'

/** The header of every page. */
export function Header() {
  const { phase, who, signOut } = useAccess()
  const settings = useRef<HTMLDialogElement>(null)
  const shortcuts = useRef<HTMLDialogElement>(null)
  const signIn = useRef<HTMLDialogElement>(null)
  useShortcut('?', () => shortcuts.current?.showModal())

  return (
    <header className="header">
      <Link to={{ page: 'home' }} className="brand">
        <img src="/favicon.svg" alt="" width="28" height="28" />
        <span>Sluice</span>
      </Link>
      {phase === 'ready' && <WaitingLink />}
      <div className="header-tools">
        {who?.via !== 'anonymous' && who?.subject !== undefined && (
          <span className="header-who">
            Signed in as <strong>{who.subject}</strong>
          </span>
        )}
        <button type="button" className="button button-quiet" onClick={() => shortcuts.current?.showModal()}>
          Keys
        </button>
        <button type="button" className="button button-quiet" onClick={() => settings.current?.showModal()}>
          Settings
        </button>
        {who?.via === 'anonymous' && (
          <button type="button" className="button button-quiet" onClick={() => signIn.current?.showModal()}>
            Sign in
          </button>
        )}
        {who !== undefined && who.via !== 'anonymous' && (
          <LeavingButton className="button button-quiet" onClick={() => void signOut()}>
            Sign out
          </LeavingButton>
        )}
      </div>
      <SettingsDialog ref={settings} />
      <ShortcutsDialog ref={shortcuts} />
      {who?.via === 'anonymous' && <SignInDialog ref={signIn} />}
    </header>
  )
}

/** Leads to the session that has waited longest for an answer. */
function WaitingLink() {
  const { sessions } = useWaiting()
  const oldest = sessions.at(-1)
  if (oldest === undefined) return null
  const count = sessions.reduce((sum, { questions }) => sum + questions, 0)
  return (
    <Link
      to={{ page: 'session', session: oldest.id, part: 'answer' }}
      className="badge badge-waiting header-waiting"
    >
      {formatCount(count, 'question')} waiting
    </Link>
  )
}
