import { useEffect, useState } from 'react'

const tickMs = 1000

/** What is left until `deadline`, in ms, counted down every second; undefined without one. */
export function useTimeLeft(deadline: number | undefined): number | undefined {
  const [left, setLeft] = useState(() => leftUntil(deadline))
  useEffect(() => {
    const atStart = leftUntil(deadline)
    setLeft(atStart)
    if (atStart === undefined) return
    // The clock of the machine may be set meanwhile.
    const startedAt = performance.now()
    const timer = setInterval(() => setLeft(atStart - (performance.now() - startedAt)), tickMs)
    return () => clearInterval(timer)
  }, [deadline])
  return deadline === undefined || left === undefined ? undefined : Math.max(0, left)
}

function leftUntil(deadline: number | undefined): number | undefined {
  return deadline === undefined ? undefined : deadline - Date.now()
}
