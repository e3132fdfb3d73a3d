import { dialects } from '@sluice/protocol/dialects'
import { schemas as dialectSchemas, eventSchemas } from '@sluice/protocol/schemas'
import Type from 'typebox'
import { actions } from '../../access/caller.ts'

const text = Type.String()
const count = Type.Integer({ minimum: 0 })
const time = Type.Number({ description: 'Milliseconds since 1970.' })
const anyObject = Type.Record(text, Type.Unknown())
const labels = Type.Record(text, text)
const cursor = Type.String({
  pattern: '^(-1|\\d{1,15})(\\.\\d{1,15}){0,2}$',
  description: 'A place in the log of a session.',
})
const sessionId = Type.String({ pattern: '^sess_[A-Za-z0-9]{1,64}$' })
const decision = Type.Enum(['accept', 'reject'])
const response = Type.Union([text, Type.Number(), Type.Boolean()])

const { outcome, error: sessionError } = eventSchemas['session-end'].properties
const { parts } = eventSchemas.message.properties
const { agent } = eventSchemas.unknown.properties.meta.properties

/** The place in the document where a schema stands. */
export const toRef = (name: keyof typeof bodySchemas | 'Problem') =>
  Type.Unsafe<unknown>({ $ref: `#/components/schemas/${name}` })

const session = Type.Object({
  id: sessionId,
  foreign: Type.Optional(text),
  context: Type.Optional(text),
  owner: Type.Optional(text),
  labels,
  attributes: anyObject,
  createdAt: time,
  updatedAt: time,
  seq: Type.Integer({ minimum: -1, description: 'The number of the last entry; -1 before the first.' }),
  state: Type.Enum(['open', 'waiting', 'ended']),
  status: text,
  outcome: Type.Optional(outcome),
  questions: count,
  findings: count,
  agent,
  dialect: Type.Optional(text),
  title: Type.Optional(Type.String({ maxLength: 200 })),
})

/** A finding with the line that it is about. */
const lineFinding = Type.Object({
  line: Type.Integer({ minimum: 1 }),
  code: text,
  path: Type.String({ description: 'A JSON pointer.' }),
  message: text,
  rule: Type.String({ description: 'The place in the contract.' }),
})

const input = Type.Object({
  seq: count,
  at: time,
  type: Type.Enum(['answer', 'cancel', 'message']),
  by: Type.Optional(text),
  token: Type.Optional(text),
  how: Type.Optional(Type.Enum(['answered', 'timeout'])),
  decision: Type.Optional(text),
  response: Type.Optional(response),
  reason: Type.Optional(text),
  id: Type.Optional(text),
  parts: Type.Optional(parts),
})

const { question: questionType, risk, irreversible } = eventSchemas['question-open'].properties
const { how } = eventSchemas['question-close'].properties

const question = Type.Object({
  token: text,
  agentToken: Type.Optional(text),
  question: questionType,
  text,
  risk,
  irreversible,
  openedAt: time,
  seq: count,
  timeoutMs: Type.Optional(Type.Number({ minimum: 0 })),
  default: Type.Optional(text),
  closedAt: Type.Optional(time),
  closedSeq: Type.Optional(count),
  how: Type.Optional(how),
  decision: Type.Optional(text),
  response: Type.Optional(response),
  by: Type.Optional(text),
  via: Type.Optional(Type.Enum(['http', 'ws', 'aaep'])),
  claimed: Type.Optional(Type.Literal(true)),
  claimedBy: Type.Optional(text),
})

const agentResource = Type.Object({
  name: text,
  kind: text,
  title: text,
  capabilities: Type.Array(text),
  installed: Type.Boolean(),
  version: Type.Optional(text),
  hint: Type.Optional(text),
  workingDirs: Type.Optional(Type.Array(text)),
  active: count,
  queued: count,
})

const agentRef = Type.Unsafe<unknown>({ $ref: '#/components/schemas/Agent' })
const questionRef = Type.Unsafe<unknown>({ $ref: '#/components/schemas/Question' })

const { tool, status: toolStatus } = eventSchemas['tool-result'].properties

const outlineShape = Type.Object({
  direction: Type.Enum(['event', 'input', 'system']),
  kinds: Type.Array(Type.Enum(Object.keys(eventSchemas))),
  level: Type.Optional(Type.Enum(['warning', 'error'])),
})

const outline = Type.Object({
  from: count,
  shapes: Type.Array(outlineShape),
  rows: Type.Array(
    Type.Unsafe<unknown>({
      type: 'array',
      minItems: 5,
      maxItems: 5,
      items: { type: ['number', 'null'] },
      description: 'Of entry from + i: when it came in, the index of its shape, characters, findings, delay.',
    }),
  ),
  calls: Type.Array(Type.Object({ seq: count, call: text, tool, status: Type.Optional(toolStatus) })),
  next: Type.Optional(count),
  head: Type.Integer({ minimum: -1 }),
})

const caller = Type.Object({
  subject: Type.Optional(text),
  via: Type.Enum(['anonymous', 'key', 'jwt', 'ticket', 'login']),
  actions: Type.Array(Type.Enum(actions)),
  expiresAt: Type.Optional(time),
})

/** A page of what was read: each value with the cursor behind it. */
const pageOf = (frame: Type.TSchema) =>
  Type.Object({
    frames: Type.Array(Type.Object({ cursor, frame })),
    cursor,
    end: Type.Boolean({ description: 'True when nothing follows.' }),
  })

const frame = Type.Unsafe<unknown>({
  type: 'object',
  description: `One event in the contract of its dialect. GET /schemas lists the schemas of ${dialects.map(({ id }) => id).join(', ')}.`,
})

/** What bodies hold, by the name that the document gives it. */
export const bodySchemas = {
  Session: session,
  SessionPage: Type.Object({ sessions: Type.Array(session), next: Type.Optional(text) }),
  SessionRequest: Type.Object({
    id: Type.Optional(sessionId),
    foreign: Type.Optional(text),
    agent: Type.Optional(text),
    context: Type.Optional(text),
    labels: Type.Optional(labels),
    attributes: Type.Optional(anyObject),
    exclusive: Type.Optional(
      Type.Boolean({ description: 'Whether only the subject that creates it publishes to it.' }),
    ),
  }),
  Snapshot: Type.Object({ session, cursor, snapshot: anyObject }),
  EndRequest: Type.Object({ outcome: Type.Optional(outcome), error: sessionError }),
  Entry: Type.Unsafe<unknown>(withoutId('sluice', 'entry')),
  ToldEntry: Type.Object({
    dialect: text,
    frames: Type.Array(Type.Object({ cursor, frame })),
    lost: Type.Array(text, { description: 'Paths such as tool-call.args.' }),
  }),
  Outline: outline,
  Frame: frame,
  Receipt: Type.Object({
    accepted: count,
    duplicates: count,
    refused: Type.Array(lineFinding, { maxItems: 100 }),
    refusedCount: Type.Optional(count),
    findings: Type.Array(lineFinding, { maxItems: 100 }),
    findingsCount: Type.Optional(count),
    cursor,
  }),
  ProducerMark: Type.Object({ producer: text, epoch: count, seq: Type.Integer({ minimum: -1 }) }),
  FramePage: pageOf(frame),
  DialectList: Type.Object({ dialects: Type.Array(Type.Object({ id: text, title: text })) }),
  AnswerReceipt: Type.Object({ counted: Type.Boolean() }),
  AnswerRequest: Type.Object({
    token: text,
    decision: Type.Optional(decision),
    response: Type.Optional(response),
  }),
  CancelRequest: Type.Object({ reason: Type.Optional(text) }),
  MessageRequest: Type.Object({
    id: Type.Optional(text),
    text: Type.Optional(text),
    parts: Type.Optional(parts),
  }),
  Taken: Type.Object({ cursor }),
  TakenMessage: Type.Object({ cursor, id: text }),
  Input: input,
  InputPage: pageOf(input),
  Question: question,
  QuestionList: Type.Object({ questions: Type.Array(questionRef) }),
  Agent: agentResource,
  AgentList: Type.Object({ agents: Type.Array(agentRef) }),
  RunRequest: Type.Object({
    prompt: text,
    workingDir: Type.Optional(text),
    timeoutMs: Type.Optional(count),
    env: Type.Optional(labels),
    extensions: Type.Optional(anyObject),
    context: Type.Optional(text),
    labels: Type.Optional(labels),
    attributes: Type.Optional(anyObject),
    session: Type.Optional(sessionId),
  }),
  TicketRequest: Type.Object({
    session: Type.Optional(text),
    dialect: Type.Optional(text),
    subscription: Type.Optional(text),
  }),
  Ticket: Type.Object({ ticket: text, expiresAt: time }),
  Caller: caller,
  Login: Type.Object({ token: text, expiresAt: time }),
  LoginRequest: Type.Object({ token: Type.Optional(text) }),
}

/** A published schema as a part of the document, where an id of its own would only confuse generators. */
function withoutId(dialect: string, name: string): object {
  const { $schema: _schema, $id: _id, ...rest } = { $schema: '', $id: '', ...dialectSchemas[dialect]?.[name] }
  return rest
}
