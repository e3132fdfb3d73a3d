import { Fragment, lazy, Suspense, useEffect, useRef } from 'react'
import { type Access, useAccess } from './access/access.tsx'
import { LinkDialog } from './access/link-dialog.tsx'
import { SignIn } from './access/sign-in.tsx'
import { HomePage } from './home/home-page.tsx'
import { Notifier } from './notify/notifier.tsx'
import { WaitingProvider } from './notify/waiting.tsx'
import type { Route } from './router/route.ts'
import { Link, useRoute } from './router/router.tsx'
import { SessionPage } from './session/session-page.tsx'
import { SessionPane } from './sessions/session-pane.tsx'
import { Header } from './shell/header.tsx'
import { Trouble } from './shell/trouble.tsx'

const ConversationPage = lazy(async () => ({
  default: (await import('./conversation/conversation-page.tsx')).ConversationPage,
}))

/** The whole page: a header, the list of sessions and the selected page. */
export function App() {
  const route = useRoute()
  const { phase, trouble } = useAccess()
  const main = useRef<HTMLElement>(null)
  useFocusOnNavigation(route, main)
  useFocusAfterSignIn(phase, main)
  const current = route.page === 'session' ? route.session : undefined
  const Frame = phase === 'ready' ? WaitingProvider : Fragment

  return (
    <Frame>
      <div className="app" data-page={route.page}>
        <a className="skip-link" href="#main">
          Skip to the content
        </a>
        <Header />
        {phase === 'ready' && (
          <aside className="app-side">
            <SessionPane current={current} />
          </aside>
        )}
        <main id="main" className="app-main" tabIndex={-1} ref={main}>
          {phase === 'loading' && <p className="note">Connecting to the gateway…</p>}
          {phase === 'closed' && <SignIn />}
          <div className="access-trouble" role="status">
            {phase === 'ready' && trouble !== undefined && <Trouble {...trouble} />}
          </div>
          {phase === 'ready' && <Page route={route} />}
        </main>
        {phase === 'ready' && <Notifier />}
        <LinkDialog />
      </div>
    </Frame>
  )
}

function Page({ route }: { readonly route: Route }) {
  switch (route.page) {
    case 'home':
      return <HomePage />
    case 'session':
      return <SessionPage key={route.session} route={route} />
    case 'conversation':
      return (
        <Suspense fallback={<p className="note">Loading the conversation…</p>}>
          <ConversationPage key={route.context} context={route.context} />
        </Suspense>
      )
    case 'unknown':
      return (
        <section className="card">
          <h1>There is nothing at this address</h1>
          <p>
            <Link to={{ page: 'home' }}>All sessions</Link>
          </p>
        </section>
      )
  }
}

/**
 * Moves the focus to the start of a page after navigation, as loading it would. The first page does not take
 * the focus.
 */
function useFocusOnNavigation(route: Route, main: { readonly current: HTMLElement | null }): void {
  const place = route.page === 'session' ? route.session : route.page === 'conversation' ? route.context : ''
  const key = `${route.page} ${place}`
  const last = useRef(key)
  useEffect(() => {
    if (last.current === key) return
    last.current = key
    main.current?.focus({ preventScroll: true })
    main.current?.scrollTo?.(0, 0)
    scrollTo(0, 0)
  }, [key, main])
}

/** Moves the focus to the main content after a sign-in. */
function useFocusAfterSignIn(phase: Access['phase'], main: { readonly current: HTMLElement | null }): void {
  const last = useRef(phase)
  useEffect(() => {
    if (last.current === 'closed' && phase === 'ready') main.current?.focus()
    last.current = phase
  }, [phase, main])
}
