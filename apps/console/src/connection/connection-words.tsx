import type { SessionConnection } from '@sluice/react'
import { useEffect, useState } from 'react'
import { useNow } from '../shell/use-now.ts'
import { describeConnection } from './describe-connection.ts'

const shownMs = 5000

/** The state of the connection, in words. Announced politely when lost or restored, not at every change. */
export function ConnectionWords({ connection }: { readonly connection: SessionConnection }) {
  const { status, reconnects } = connection
  const nowMs = useNow(1000)
  const isBack = useForAWhile(reconnects)
  const words = describeConnection(connection, { isBack, nowMs })
  const isLost = status === 'waiting' || status === 'offline'
  return (
    <span className="connection" data-status={status}>
      {words}
      <span className="visually-hidden" role="status">
        {isLost ? 'The connection is lost.' : isBack ? 'Reconnected.' : ''}
      </span>
    </span>
  )
}

/** True for a while after `count` has grown. */
function useForAWhile(count: number): boolean {
  const [seen, setSeen] = useState(count)
  useEffect(() => {
    if (count === seen) return
    const timer = setTimeout(() => setSeen(count), shownMs)
    return () => clearTimeout(timer)
  }, [count, seen])
  return count > seen
}
