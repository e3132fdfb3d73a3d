import { once } from 'node:events'
import { connect } from 'node:net'

const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('0\r\n\r\n')

/**
 * A keep-alive connection for one request at a time. Node's own client costs as much as the measured server,
 * so this one parses an answer only as far as it must to find its end.
 */
export async function openConnection(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let received = Buffer.alloc(0)
  let waiting
  let failure

  const fail = (error) => {
    failure ??= error
    waiting?.reject(failure)
    waiting = undefined
  }
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('the server closed the connection')))
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const answer = readAnswer(received)
    if (answer === undefined) return
    received = received.subarray(answer.bytes)
    const { resolve, reject } = waiting
    waiting = undefined
    if (answer.status < 300) resolve(answer)
    else reject(new Error(`status ${answer.status}: ${answer.body}`))
  })
  await once(socket, 'connect')

  const answered = () =>
    new Promise((resolve, reject) => {
      if (failure === undefined) waiting = { resolve, reject }
      else reject(failure)
    })

  return {
    socket,
    /** Resolves with the next answer; rejects unless its status means success. */
    answered,
    request(text) {
      const answer = answered()
      socket.write(text)
      return answer
    },
    close: () => socket.destroy(),
  }
}

function readAnswer(bytes) {
  const end = bytes.indexOf(headEnd)
  if (end < 0) return undefined
  const head = bytes.toString('latin1', 0, end)
  const status = Number(head.slice(9, 12))
  const start = end + headEnd.length
  if (status === 204) return { status, body: '', bytes: start }
  const length = /content-length: (\d+)/i.exec(head)
  if (length !== null) {
    const bodyEnd = start + Number(length[1])
    return bytes.length < bodyEnd
      ? undefined
      : { status, body: bytes.toString('utf8', start, bodyEnd), bytes: bodyEnd }
  }
  const last = bytes.indexOf(lastChunk, start)
  return last < 0
    ? undefined
    : { status, body: bytes.toString('utf8', start, last), bytes: last + lastChunk.length }
}
