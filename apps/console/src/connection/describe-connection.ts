import type { SessionConnection } from '@sluice/react'
import { formatNumber } from '../format/format-number.ts'

/** The state of a connection, in words. `isBack` is set for a while after it was restored. */
export function describeConnection(
  { status, behind, untilMs }: Pick<SessionConnection, 'status' | 'behind' | 'untilMs'>,
  { isBack, nowMs }: { readonly isBack: boolean; readonly nowMs: number },
): string {
  switch (status) {
    case 'connecting':
      return 'Connecting'
    case 'catching-up':
      return behind > 0 ? `Catching up, ${formatNumber(behind)} behind` : 'Catching up'
    case 'live':
      return isBack ? 'Reconnected' : 'Live'
    case 'offline':
      return 'Offline'
    case 'waiting': {
      const seconds = untilMs === undefined ? 0 : Math.max(0, Math.ceil((untilMs - nowMs) / 1000))
      return seconds > 0 ? `Offline, trying again in ${seconds} s` : 'Offline, trying again'
    }
    case 'ended':
      return 'Complete'
  }
}
