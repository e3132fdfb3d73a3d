import type { SluiceError } from '@sluice/protocol'
import type { ReactNode } from 'react'

interface TroubleProps {
  readonly what: string
  readonly error: SluiceError
  /** What can be done about it. */
  readonly children?: ReactNode
}

/** A problem: what failed, why, and what to do next. */
export function Trouble({ what, error, children }: TroubleProps) {
  return (
    <section className="trouble" aria-label="Problem">
      <p className="trouble-what">{what}</p>
      <p>
        {error.message} <code className="code-inline">{error.code}</code>
      </p>
      {children}
    </section>
  )
}
