import type { A2aArtifact, A2aFrame, A2aMessage, A2aPart, A2aStatus } from '../../a2a/model.ts'
import type { FrameOrigin } from '../../a2a/writer.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import { toStateName } from './wire.ts'

type Wire = Record<string, JsonValue | undefined>

const members = {
  task: 'task',
  'status-update': 'statusUpdate',
  'artifact-update': 'artifactUpdate',
} as const

/**
 * A frame in the ProtoJSON of A2A 1.0. Fields that no version knows are written only in the version that read
 * them.
 */
export function writeA2aV1(frame: A2aFrame, origin: FrameOrigin): JsonObject {
  if (frame.type === 'message') return { message: writeMessage(frame.message, origin) }
  const wire: Wire = {}
  wire[frame.type === 'task' ? 'id' : 'taskId'] = frame.taskId
  if (frame.contextId !== undefined) wire['contextId'] = frame.contextId
  switch (frame.type) {
    case 'task':
      wire['status'] = writeStatus(frame.status, origin)
      if (frame.artifacts !== undefined)
        wire['artifacts'] = frame.artifacts.map((artifact) => writeArtifact(artifact, origin))
      if (frame.history !== undefined)
        wire['history'] = frame.history.map((message) => writeMessage(message, origin))
      break
    case 'status-update':
      wire['status'] = writeStatus(frame.status, origin)
      break
    case 'artifact-update':
      wire['artifact'] = writeArtifact(frame.artifact, origin)
      if (isWritten(frame.append, origin)) wire['append'] = frame.append
      if (isWritten(frame.lastChunk, origin)) wire['lastChunk'] = frame.lastChunk
      break
  }
  if (frame.metadata !== undefined) wire['metadata'] = frame.metadata
  return { [members[frame.type]]: withRest(wire, frame.rest, origin) }
}

/** ProtoJSON omits false values. */
function isWritten(flag: boolean | undefined, origin: FrameOrigin): boolean {
  return origin.isOwn ? flag !== undefined : flag === true
}

function withRest(wire: Wire, rest: JsonObject | undefined, origin: FrameOrigin): JsonObject {
  if (rest === undefined || !origin.isOwn) return wire
  return { ...rest, ...wire }
}

function writeStatus(status: A2aStatus, origin: FrameOrigin): JsonObject {
  const wire: Wire = { state: toStateName(status.state) }
  if (status.message !== undefined) wire['message'] = writeMessage(status.message, origin)
  if (status.timestamp !== undefined) wire['timestamp'] = status.timestamp
  return withRest(wire, status.rest, origin)
}

function writeMessage(message: A2aMessage, origin: FrameOrigin): JsonObject {
  const wire: Wire = {
    messageId: message.messageId,
    role: message.role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT',
    parts: writeParts(message.parts, origin),
  }
  if (message.taskId !== undefined) wire['taskId'] = message.taskId
  if (message.contextId !== undefined) wire['contextId'] = message.contextId
  if (message.metadata !== undefined) wire['metadata'] = message.metadata
  if (message.extensions !== undefined) wire['extensions'] = message.extensions
  if (message.referenceTaskIds !== undefined) wire['referenceTaskIds'] = message.referenceTaskIds
  return withRest(wire, message.rest, origin)
}

function writeArtifact(artifact: A2aArtifact, origin: FrameOrigin): JsonObject {
  const wire: Wire = { artifactId: artifact.artifactId }
  if (artifact.name !== undefined) wire['name'] = artifact.name
  if (artifact.description !== undefined) wire['description'] = artifact.description
  wire['parts'] = writeParts(artifact.parts, origin)
  if (artifact.metadata !== undefined) wire['metadata'] = artifact.metadata
  if (artifact.extensions !== undefined) wire['extensions'] = artifact.extensions
  return withRest(wire, artifact.rest, origin)
}

/** 1.0 does not allow an empty list of parts. */
function writeParts(parts: readonly A2aPart[], origin: FrameOrigin): JsonValue {
  return parts.length === 0 ? [{ text: '' }] : parts.map((part) => writePart(part, origin))
}

function writePart(part: A2aPart, origin: FrameOrigin): JsonObject {
  const wire: Wire = {}
  if (part.type === 'text') wire['text'] = part.text
  else if (part.type === 'data') wire['data'] = part.data
  else if (part.bytes !== undefined) wire['raw'] = part.bytes
  else wire['url'] = part.uri ?? ''
  if (part.name !== undefined) wire['filename'] = part.name
  if (part.mediaType !== undefined) wire['mediaType'] = part.mediaType
  if (part.metadata !== undefined) wire['metadata'] = part.metadata
  return withRest(wire, part.rest, origin)
}
