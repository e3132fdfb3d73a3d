import { once } from 'node:events'
import { connect } from 'node:net'

/** A reader of a stream that counts each `mark` and reports to `onMarks`. Resolves when the answer begins. */
export async function openReader(port, request, mark, onMarks = () => {}) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const reader = {
    count: 0,
    bytes: 0,
    close: () => socket.destroy(),
    pause: () => socket.pause(),
    closed: undefined,
  }
  reader.closed = new Promise((resolve) => socket.on('close', resolve))
  // The end of the last chunk: a mark may be cut in two.
  let rest = Buffer.alloc(0)
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(request)
  const [first] = await once(socket, 'data')
  if (!first.toString('latin1', 0, 12).startsWith('HTTP/1.1 20'))
    throw new Error(`a reader was answered: ${first.toString('latin1', 0, 400)}`)

  const take = (chunk) => {
    reader.bytes += chunk.length
    const found = countMarks(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]), mark)
    rest = chunk.length < mark.length ? Buffer.concat([rest, chunk]) : chunk
    rest = rest.subarray(Math.max(0, rest.length - mark.length + 1))
    if (found === 0) return
    reader.count += found
    onMarks(found)
  }
  take(first)
  socket.on('data', take)
  return reader
}

function countMarks(bytes, mark) {
  let count = 0
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + mark.length)) count += 1
  return count
}
