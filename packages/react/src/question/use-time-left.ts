import { useEffect, useState } from 'react'

const tickMs = 1000

/** What is left until `deadline`, in ms, counted down every second; undefined without one. */
export function useTimeLeft(deadline: number | undefined): number | undefined {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (deadline === undefined) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), tickMs)
    return () => clearInterval(timer)
  }, [deadline])
  return deadline === undefined ? undefined : Math.max(0, deadline - now)
}
