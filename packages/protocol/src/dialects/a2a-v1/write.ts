import type { A2aArtifact, A2aFrame, A2aMessage, A2aPart, A2aStatus } from '../../a2a/model.ts'
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
export function writeA2aV1(frame: A2aFrame, isOwn: boolean): JsonObject {
  if (frame.type === 'message') return { message: writeMessage(frame.message, isOwn) }
  const wire: Wire = {}
  wire[frame.type === 'task' ? 'id' : 'taskId'] = frame.taskId
  if (frame.contextId !== undefined) wire['contextId'] = frame.contextId
  switch (frame.type) {
    case 'task':
      wire['status'] = writeStatus(frame.status, isOwn)
      if (frame.artifacts !== undefined)
        wire['artifacts'] = frame.artifacts.map((artifact) => writeArtifact(artifact, isOwn))
      if (frame.history !== undefined)
        wire['history'] = frame.history.map((message) => writeMessage(message, isOwn))
      break
    case 'status-update':
      wire['status'] = writeStatus(frame.status, isOwn)
      break
    case 'artifact-update':
      wire['artifact'] = writeArtifact(frame.artifact, isOwn)
      if (isWritten(frame.append, isOwn)) wire['append'] = frame.append
      if (isWritten(frame.lastChunk, isOwn)) wire['lastChunk'] = frame.lastChunk
      break
  }
  if (frame.metadata !== undefined) wire['metadata'] = frame.metadata
  return { [members[frame.type]]: withRest(wire, frame.rest, isOwn) }
}

/** ProtoJSON omits false values. */
function isWritten(flag: boolean | undefined, isOwn: boolean): boolean {
  return isOwn ? flag !== undefined : flag === true
}

function withRest(wire: Wire, rest: JsonObject | undefined, isOwn: boolean): JsonObject {
  if (rest === undefined || !isOwn) return wire
  return { ...rest, ...wire }
}

function writeStatus(status: A2aStatus, isOwn: boolean): JsonObject {
  const wire: Wire = { state: toStateName(status.state) }
  if (status.message !== undefined) wire['message'] = writeMessage(status.message, isOwn)
  if (status.timestamp !== undefined) wire['timestamp'] = status.timestamp
  return withRest(wire, status.rest, isOwn)
}

function writeMessage(message: A2aMessage, isOwn: boolean): JsonObject {
  const wire: Wire = {
    messageId: message.messageId,
    role: message.role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT',
    parts: writeParts(message.parts, isOwn),
  }
  if (message.taskId !== undefined) wire['taskId'] = message.taskId
  if (message.contextId !== undefined) wire['contextId'] = message.contextId
  if (message.metadata !== undefined) wire['metadata'] = message.metadata
  if (message.extensions !== undefined) wire['extensions'] = message.extensions
  if (message.referenceTaskIds !== undefined) wire['referenceTaskIds'] = message.referenceTaskIds
  return withRest(wire, message.rest, isOwn)
}

function writeArtifact(artifact: A2aArtifact, isOwn: boolean): JsonObject {
  const wire: Wire = { artifactId: artifact.artifactId }
  if (artifact.name !== undefined) wire['name'] = artifact.name
  if (artifact.description !== undefined) wire['description'] = artifact.description
  wire['parts'] = writeParts(artifact.parts, isOwn)
  if (artifact.metadata !== undefined) wire['metadata'] = artifact.metadata
  if (artifact.extensions !== undefined) wire['extensions'] = artifact.extensions
  return withRest(wire, artifact.rest, isOwn)
}

/** 1.0 does not allow an empty list of parts. */
function writeParts(parts: readonly A2aPart[], isOwn: boolean): JsonValue {
  return parts.length === 0 ? [{ text: '' }] : parts.map((part) => writePart(part, isOwn))
}

function writePart(part: A2aPart, isOwn: boolean): JsonObject {
  const wire: Wire = {}
  if (part.type === 'text') wire['text'] = part.text
  else if (part.type === 'data') wire['data'] = part.data
  else if (part.bytes !== undefined) wire['raw'] = part.bytes
  else wire['url'] = part.uri ?? ''
  if (part.name !== undefined) wire['filename'] = part.name
  if (part.mediaType !== undefined) wire['mediaType'] = part.mediaType
  if (part.metadata !== undefined) wire['metadata'] = part.metadata
  return withRest(wire, part.rest, isOwn)
}
