import {
  type A2aArtifact,
  type A2aFrame,
  type A2aMessage,
  type A2aPart,
  type A2aStatus,
  isTerminal,
} from '../../a2a/model.ts'
import type { FrameOrigin } from '../../a2a/writer.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'

type Wire = Record<string, JsonValue | undefined>

/**
 * A frame in the JSON of A2A 0.3. Fields that no version knows are written only in the version that read
 * them.
 */
export function writeA2a(frame: A2aFrame, origin: FrameOrigin): JsonObject {
  if (frame.type === 'message') return writeMessage(frame.message, origin)
  const wire: Wire = { kind: frame.type }
  wire[frame.type === 'task' ? 'id' : 'taskId'] = frame.taskId
  if (frame.contextId !== undefined) wire['contextId'] = frame.contextId
  switch (frame.type) {
    case 'task':
      wire['status'] = writeStatus(frame.status, origin)
      if (frame.history !== undefined)
        wire['history'] = frame.history.map((message) => writeMessage(message, origin))
      if (frame.artifacts !== undefined)
        wire['artifacts'] = frame.artifacts.map((artifact) => writeArtifact(artifact, origin))
      break
    case 'status-update':
      wire['status'] = writeStatus(frame.status, origin)
      wire['final'] =
        frame.final ?? (isTerminal(frame.status.state) || frame.status.state === 'input-required')
      break
    case 'artifact-update':
      if (!origin.isOwn || frame.append !== undefined) wire['append'] = frame.append ?? false
      if (!origin.isOwn || frame.lastChunk !== undefined) wire['lastChunk'] = frame.lastChunk ?? false
      wire['artifact'] = writeArtifact(frame.artifact, origin)
      break
  }
  if (frame.metadata !== undefined) wire['metadata'] = frame.metadata
  return withRest(wire, frame.rest, origin)
}

function withRest(wire: Wire, rest: JsonObject | undefined, origin: FrameOrigin): JsonObject {
  if (rest === undefined || !origin.isOwn) return wire
  return { ...rest, ...wire }
}

function writeStatus(status: A2aStatus, origin: FrameOrigin): JsonObject {
  const wire: Wire = { state: status.state }
  if (status.message !== undefined) wire['message'] = writeMessage(status.message, origin)
  if (status.timestamp !== undefined) wire['timestamp'] = status.timestamp
  return withRest(wire, status.rest, origin)
}

function writeMessage(message: A2aMessage, origin: FrameOrigin): JsonObject {
  const wire: Wire = {
    kind: 'message',
    messageId: message.messageId,
    role: message.role,
    parts: message.parts.map((part) => writePart(part, origin)),
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
  if (artifact.metadata !== undefined) wire['metadata'] = artifact.metadata
  wire['parts'] = artifact.parts.map((part) => writePart(part, origin))
  if (artifact.extensions !== undefined) wire['extensions'] = artifact.extensions
  return withRest(wire, artifact.rest, origin)
}

function writePart(part: A2aPart, origin: FrameOrigin): JsonObject {
  const wire: Wire = { kind: part.type }
  if (part.type === 'text') wire['text'] = part.text
  else if (part.type === 'file') wire['file'] = writeFile(part, origin)
  else if (isJsonObject(part.data)) wire['data'] = part.data
  else {
    // 0.3 allows only objects, so other values are wrapped in one.
    wire['data'] = { value: part.data }
    wire['metadata'] = { ...part.metadata, sluice: { data: 'value' } }
    return withRest(wire, part.rest, origin)
  }
  if (part.metadata !== undefined) wire['metadata'] = part.metadata
  return withRest(wire, part.rest, origin)
}

function writeFile(part: Extract<A2aPart, { type: 'file' }>, origin: FrameOrigin): JsonObject {
  const wire: Wire = {}
  if (part.bytes !== undefined) wire['bytes'] = part.bytes
  if (part.uri !== undefined) wire['uri'] = part.uri
  if (part.name !== undefined) wire['name'] = part.name
  if (part.mediaType !== undefined) wire['mimeType'] = part.mediaType
  return withRest(wire, part.fileRest, origin)
}
