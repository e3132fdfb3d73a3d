import type { Route, SessionPart } from '../router/route.ts'
import { Link } from '../router/router.tsx'

const parts = [
  ['answer', 'Answer'],
  ['timeline', 'Timeline'],
  ['charts', 'Charts'],
] as const satisfies readonly (readonly [SessionPart, string])[]

/** Links to the parts of a session; each part has its own address. */
export function PartLinks({ route }: { readonly route: Extract<Route, { readonly page: 'session' }> }) {
  return (
    <nav className="parts" aria-label="Parts of the session">
      {parts.map(([part, label]) => (
        <Link
          key={part}
          className="part"
          to={{ ...route, part }}
          aria-current={route.part === part ? 'page' : undefined}
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}
