import type { SluiceEvent } from '@sluice/protocol'

const maxTold = 20

/** Reports malformed lines by their length alone. After `maxTold`, reports once that there are more. */
export function createMalformedNotices(): { tell(lineBytes: number): readonly SluiceEvent[] } {
  let count = 0
  const notice = (text: string): SluiceEvent => ({
    kind: 'notice',
    level: 'error',
    code: 'malformed_line',
    text,
    meta: { channel: 'error' },
  })
  return {
    tell(lineBytes) {
      count += 1
      if (count > maxTold + 1) return []
      if (count > maxTold) return [notice('further malformed output lines are not reported')]
      return [notice(`malformed output line (line_bytes=${lineBytes})`)]
    },
  }
}
