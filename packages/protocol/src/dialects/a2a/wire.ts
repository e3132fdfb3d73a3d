import Type from 'typebox'
import { taskStates } from '../../a2a/model.ts'

const id = Type.String({ minLength: 1 })
const metadata = Type.Optional(Type.Object({}))
const extensions = Type.Optional(Type.Array(Type.String()))

/** A2A 0.3 §6.5. */
const part = Type.Union([
  Type.Object({ kind: Type.Literal('text'), text: Type.String(), metadata }),
  Type.Object({
    kind: Type.Literal('file'),
    file: Type.Union([
      Type.Object({
        bytes: Type.String(),
        name: Type.Optional(Type.String()),
        mimeType: Type.Optional(Type.String()),
      }),
      Type.Object({
        uri: Type.String(),
        name: Type.Optional(Type.String()),
        mimeType: Type.Optional(Type.String()),
      }),
    ]),
    metadata,
  }),
  Type.Object({ kind: Type.Literal('data'), data: Type.Object({}), metadata }),
])

const message = Type.Object({
  kind: Type.Literal('message'),
  role: Type.Enum(['user', 'agent']),
  parts: Type.Array(part),
  messageId: id,
  taskId: Type.Optional(id),
  contextId: Type.Optional(id),
  metadata,
  extensions,
  referenceTaskIds: Type.Optional(Type.Array(Type.String())),
})

const status = Type.Object({
  state: Type.Enum([...taskStates]),
  message: Type.Optional(message),
  timestamp: Type.Optional(Type.String()),
})

const artifact = Type.Object({
  artifactId: id,
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  parts: Type.Array(part),
  metadata,
  extensions,
})

function published(name: string, title: string, description: string): Type.TObjectOptions {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:sluice:schema:a2a:${name}`,
    title,
    description,
  }
}

/** A2A 0.3 §6.1. */
export const taskSchema = Type.Object(
  {
    kind: Type.Literal('task'),
    id,
    contextId: id,
    status,
    history: Type.Optional(Type.Array(message)),
    artifacts: Type.Optional(Type.Array(artifact)),
    metadata,
  },
  published('task', 'A2A 0.3 task', 'A unit of work with its status, history and artifacts (A2A 0.3 §6.1).'),
)

/** A2A 0.3 §6.4. */
export const messageSchema = Type.Object(
  message.properties,
  published('message', 'A2A 0.3 message', 'One turn of the user or the agent (A2A 0.3 §6.4).'),
)

/** A2A 0.3 §7.2.2. */
export const statusUpdateSchema = Type.Object(
  {
    kind: Type.Literal('status-update'),
    taskId: id,
    contextId: id,
    status,
    final: Type.Boolean(),
    metadata,
  },
  published('status-update', 'A2A 0.3 status update', 'A task has come to another status (A2A 0.3 §7.2.2).'),
)

/** A2A 0.3 §7.2.3. */
export const artifactUpdateSchema = Type.Object(
  {
    kind: Type.Literal('artifact-update'),
    taskId: id,
    contextId: id,
    append: Type.Optional(Type.Boolean()),
    lastChunk: Type.Optional(Type.Boolean()),
    artifact,
    metadata,
  },
  published(
    'artifact-update',
    'A2A 0.3 artifact update',
    'An artifact, or a piece of it, was made (A2A 0.3 §7.2.3).',
  ),
)

/** Any event of a stream. */
export type A2aFrame =
  | Type.Static<typeof taskSchema>
  | Type.Static<typeof messageSchema>
  | Type.Static<typeof statusUpdateSchema>
  | Type.Static<typeof artifactUpdateSchema>
