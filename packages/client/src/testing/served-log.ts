import type { ServerResponse } from 'node:http'
import { encodeSse, encodeSseComment } from '@sluice/protocol'
import { openSse, type PeerRequest } from './peer.ts'

/** How a connection is cut: after how many bytes, and by a clean end or a reset. */
export interface Cut {
  readonly afterBytes: number
  readonly isClean: boolean
}

/** A whole ended session as a stream of `count` frames that starts after `after`. */
function encodeLog(count: number, after: number): string {
  const frames = Array.from({ length: count }, (_, seq) =>
    encodeSse({ id: String(seq), data: JSON.stringify({ seq, text: `piece ${seq} é😀` }) }),
  )
  const end = encodeSse({ event: 'sluice.end', data: JSON.stringify({ outcome: 'completed' }) })
  return [encodeSseComment('hello'), ...frames.slice(after + 1), end].join('')
}

/** Serves such a log from the requested place, cut as `cut` says. */
export function serveLog(
  request: PeerRequest,
  response: ServerResponse,
  { count, cut }: { readonly count: number; readonly cut?: Cut | undefined },
): void {
  const after = Number(request.url.searchParams.get('after'))
  if (after === count - 1 && cut === undefined) {
    response.writeHead(204).end()
    return
  }
  const bytes = Buffer.from(encodeLog(count, after))
  openSse(response, String(count - 1))
  if (cut === undefined || cut.afterBytes >= bytes.length) response.end(bytes)
  else if (cut.isClean) response.end(bytes.subarray(0, cut.afterBytes))
  else response.write(bytes.subarray(0, cut.afterBytes), () => response.socket?.resetAndDestroy())
}
