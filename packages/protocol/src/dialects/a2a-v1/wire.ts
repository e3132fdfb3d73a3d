import Type from 'typebox'
import { taskStates } from '../../a2a/model.ts'
import type { JsonObject } from '../../json.ts'

/** The name of a state in the enum `TaskState` (A2A 1.0 §4.1.3). */
export function toStateName(state: string): string {
  return state === 'unknown'
    ? 'TASK_STATE_UNSPECIFIED'
    : `TASK_STATE_${state.toUpperCase().replaceAll('-', '_')}`
}

const id = Type.String({ minLength: 1 })
const metadata = Type.Optional(Type.Object({}))
const extensions = Type.Optional(Type.Array(Type.String()))

/** A2A 1.0 §4.1.6: exactly one of text, raw, url and data. */
const part = Type.Unsafe<JsonObject>({
  type: 'object',
  properties: {
    text: { type: 'string' },
    raw: { type: 'string' },
    url: { type: 'string' },
    data: {},
    filename: { type: 'string' },
    mediaType: { type: 'string' },
    metadata: { type: 'object' },
  },
  oneOf: [{ required: ['text'] }, { required: ['raw'] }, { required: ['url'] }, { required: ['data'] }],
})

const message = Type.Object({
  messageId: id,
  role: Type.Enum(['ROLE_USER', 'ROLE_AGENT']),
  parts: Type.Array(part, { minItems: 1 }),
  taskId: Type.Optional(id),
  contextId: Type.Optional(id),
  metadata,
  extensions,
  referenceTaskIds: Type.Optional(Type.Array(Type.String())),
})

const status = Type.Object({
  state: Type.Enum(taskStates.map(toStateName)),
  message: Type.Optional(message),
  timestamp: Type.Optional(Type.String()),
})

const artifact = Type.Object({
  artifactId: id,
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  parts: Type.Array(part, { minItems: 1 }),
  metadata,
  extensions,
})

function published(name: string, title: string, description: string): Type.TObjectOptions {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:sluice:schema:a2a-v1:${name}`,
    title,
    description,
  }
}

/** A2A 1.0 §4.1.1. */
export const taskSchema = Type.Object(
  {
    id,
    contextId: Type.Optional(id),
    status,
    artifacts: Type.Optional(Type.Array(artifact)),
    history: Type.Optional(Type.Array(message)),
    metadata,
  },
  published(
    'task',
    'A2A 1.0 task',
    'A unit of work with its status, history and artifacts (A2A 1.0 §4.1.1).',
  ),
)

/** A2A 1.0 §4.1.4. */
export const messageSchema = Type.Object(
  message.properties,
  published('message', 'A2A 1.0 message', 'One turn of the user or the agent (A2A 1.0 §4.1.4).'),
)

/** A2A 1.0 §4.2.1. */
export const statusUpdateSchema = Type.Object(
  { taskId: id, contextId: id, status, metadata },
  published('status-update', 'A2A 1.0 status update', 'A task has come to another status (A2A 1.0 §4.2.1).'),
)

/** A2A 1.0 §4.2.2. */
export const artifactUpdateSchema = Type.Object(
  {
    taskId: id,
    contextId: id,
    artifact,
    append: Type.Optional(Type.Boolean()),
    lastChunk: Type.Optional(Type.Boolean()),
    metadata,
  },
  published(
    'artifact-update',
    'A2A 1.0 artifact update',
    'An artifact, or a piece of it, was made (A2A 1.0 §4.2.2).',
  ),
)

/** One frame of a stream, with exactly one of the four members (A2A 1.0 §3.2.3). */
export const streamResponseSchema = Type.Union(
  [
    Type.Object({ task: nested(taskSchema) }),
    Type.Object({ message: nested(messageSchema) }),
    Type.Object({ statusUpdate: nested(statusUpdateSchema) }),
    Type.Object({ artifactUpdate: nested(artifactUpdateSchema) }),
  ],
  published('stream-response', 'A2A 1.0 stream response', 'One frame of a stream (A2A 1.0 §3.2.3).'),
)

/** A schema without an id, for use inside another schema. */
function nested<T extends Type.TObject>(schema: T): Type.TObject<T['properties']> {
  return Type.Object(schema.properties as T['properties'])
}

/** Any event of a stream. */
export type A2aV1Frame = Type.Static<typeof streamResponseSchema>
