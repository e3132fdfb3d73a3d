/** The requests to each kind of server, as bytes for the socket. */
export const targets = {
  sluice: {
    create: undefined,
    append: (session, events) => post(`/v1/sessions/${session}/events?dialect=aaep`, events, lines),
    stream: (session) =>
      `POST /v1/sessions/${session}/events?dialect=aaep HTTP/1.1\r\n${host}${lines.type}transfer-encoding: chunked\r\n\r\n`,
    read: (session, after = 'now') =>
      get(`/v1/sessions/${session}/events?dialect=aaep&after=${after}`, 'text/event-stream'),
  },
  floor: {
    create: undefined,
    append: (session, events) => post(`/${session}`, events, lines),
    stream: (session) =>
      `POST /${session} HTTP/1.1\r\n${host}${lines.type}transfer-encoding: chunked\r\n\r\n`,
    read: (session) => get(`/${session}`, 'text/event-stream'),
  },
  'durable-streams': {
    create: (session) => `PUT /v1/stream/${session} HTTP/1.1\r\n${host}${json}content-length: 0\r\n\r\n`,
    append: (session, events) => post(`/v1/stream/${session}`, events, array),
    stream: undefined,
    read: (session, after = 'now') =>
      get(`/v1/stream/${session}?live=sse&offset=${after}`, 'text/event-stream'),
  },
}

const host = 'host: 127.0.0.1\r\n'
const json = 'content-type: application/json\r\n'
const lines = { type: 'content-type: application/x-ndjson\r\n', join: (events) => `${events.join('\n')}\n` }
const array = { type: json, join: (events) => `[${events.join(',')}]` }

/** A request without a body. */
export function get(path, accept) {
  return `GET ${path} HTTP/1.1\r\n${host}accept: ${accept}\r\n\r\n`
}

/** A single event is sent as it is, several in the form that the server accepts. */
function post(path, events, { type, join }) {
  const body = events.length === 1 ? events[0] : join(events)
  const head = events.length === 1 ? json : type
  return `POST ${path} HTTP/1.1\r\n${host}${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}
