import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { omitUndefined } from '../omit-undefined.ts'
import { eventParts, sluiceOf } from './carried.ts'
import type { A2aArtifact, A2aFrame } from './model.ts'
import { toTextShape } from './parts.ts'

/**
 * A frame without what its events say: texts become lengths, parts become references to their events, and the
 * ids of task and context are omitted. Kept in `meta.ext`, so that the frame can be rebuilt.
 */
export function toSkeleton(frame: A2aFrame, { isWhole } = { isWhole: false }): JsonObject {
  switch (frame.type) {
    case 'task': {
      const { taskId: _taskId, contextId, artifacts, ...kept } = frame
      return {
        ...asJson(kept),
        ...(contextId === undefined ? { contextless: true } : {}),
        ...omitUndefined({
          artifacts:
            artifacts === undefined
              ? undefined
              : artifacts.map((artifact) => toArtifactShape(artifact, artifact.metadata)),
        }),
      }
    }
    case 'message': {
      const { parts: _parts, messageId: _messageId, role: _role, taskId, contextId, ...kept } = frame.message
      return {
        type: 'message',
        ...(taskId === undefined ? { taskless: true } : {}),
        ...(contextId === undefined ? { contextless: true } : {}),
        message: asJson(kept),
      }
    }
    case 'status-update': {
      const { taskId: _taskId, contextId: _contextId, ...kept } = frame
      return asJson(kept)
    }
    case 'artifact-update': {
      const { taskId: _taskId, contextId: _contextId, artifact, ...kept } = frame
      const skeleton = kept as unknown as Draft // a copy of what was read from JSON
      if (isWhole) skeleton['whole'] = true
      skeleton['artifact'] = toArtifactShape(artifact, frame.metadata)
      return skeleton
    }
  }
}

/** What `meta.ext` keeps of a frame: its skeleton, or only the artifact of an output. */
export interface Kept {
  readonly frame?: JsonObject
  readonly artifact?: string
}

/** What one of `dialects` kept of a frame in `ext`, and whether that was the first of them. */
export function keptIn(
  ext: { readonly [dialect: string]: JsonObject } | undefined,
  dialects: readonly string[],
): { readonly kept: Kept; readonly isOwn: boolean } | undefined {
  if (ext === undefined) return undefined
  for (let index = 0; index < dialects.length; index++) {
    const dialect = dialects[index] ?? ''
    const kept = Object.hasOwn(ext, dialect) ? ext[dialect] : undefined
    if (!isJsonObject(kept)) continue
    const { frame, artifact } = kept
    return {
      kept: {
        ...(isJsonObject(frame) ? { frame } : {}),
        ...(typeof artifact === 'string' && artifact !== '' ? { artifact } : {}),
      },
      isOwn: index === 0,
    }
  }
  return undefined
}

/** Whether one of `dialects` kept a skeleton in `ext`. */
export function hasSkeleton(
  ext: { readonly [dialect: string]: JsonObject } | undefined,
  dialects: readonly string[],
): boolean {
  if (ext === undefined) return false
  for (let index = 0; index < dialects.length; index++) {
    const dialect = dialects[index] ?? ''
    if (Object.hasOwn(ext, dialect) && ext[dialect]?.['frame'] !== undefined) return true
  }
  return false
}

function toArtifactShape(artifact: A2aArtifact, metadata: JsonObject | undefined): JsonObject {
  const { parts, ...kept } = artifact
  const isEvents = sluiceOf(metadata)?.['parts'] === eventParts
  const shapes = parts.map(
    (part): JsonValue =>
      part.type === 'text'
        ? toTextShape(part)
        : { type: isEvents && part.type === 'data' ? 'event' : 'part' },
  )
  const shape = kept as unknown as Draft // a copy of what was read from JSON
  shape['parts'] = shapes
  return shape
}

type Draft = Record<string, JsonValue>

function asJson(value: object): JsonObject {
  return value as JsonObject // read from JSON, field by field
}
