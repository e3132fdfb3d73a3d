import type { Part } from '../events.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { omitUndefined } from '../omit-undefined.ts'
import { boundDepth } from './bound-depth.ts'
import type { A2aPart } from './model.ts'

/** Keeps the fields that the model lacks under the dialect's id. */
export function toModelPart(part: A2aPart, dialect: string): Part {
  const ext = extOf(part, dialect)
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text, ...ext }
    case 'file':
      return {
        type: 'file',
        ...omitUndefined({ name: part.name, mediaType: part.mediaType, inline: part.bytes, uri: part.uri }),
        ...ext,
      }
    case 'data':
      return {
        type: 'data',
        data: part.data,
        ...omitUndefined({ mediaType: part.mediaType }),
        ...ext,
      }
  }
}

/** The part in A2A's form. It may take the fields that `dialects` kept; its own dialect comes first. */
export function fromModelPart(part: Part, dialects: readonly string[]): A2aPart {
  const kept = keptOf(part.ext, dialects)
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text.toWellFormed(), ...kept }
    case 'file': {
      const { name, mediaType, inline, uri } = part
      return {
        type: 'file',
        ...(inline === undefined && uri !== undefined ? { uri } : { bytes: inline ?? '' }),
        ...(inline !== undefined && uri !== undefined ? { uri } : {}),
        ...omitUndefined({ name, mediaType }),
        ...kept,
      }
    }
    case 'data':
      return {
        type: 'data',
        data: boundDepth(part.data),
        ...omitUndefined({ mediaType: part.mediaType }),
        ...kept,
      }
  }
}

/** A text part with the length of its text in place of the text. */
export function toTextShape(part: Extract<A2aPart, { type: 'text' }>): JsonObject {
  const { text, ...shape } = part
  return { ...shape, length: text.length } as unknown as JsonObject // plain JSON, as it was read
}

function extOf(part: A2aPart, dialect: string): { readonly ext?: JsonObject } {
  const { metadata, rest } = part
  const fileRest = part.type === 'file' ? part.fileRest : undefined
  const name = part.type === 'file' ? undefined : part.name
  const mediaType = part.type === 'text' ? part.mediaType : undefined
  if (metadata === undefined && rest === undefined && fileRest === undefined && name === undefined) {
    if (mediaType === undefined) return {}
  }
  const kept: Record<string, JsonValue> = {}
  if (metadata !== undefined) kept['metadata'] = metadata
  if (rest !== undefined) kept['rest'] = rest
  if (fileRest !== undefined) kept['fileRest'] = fileRest
  if (name !== undefined) kept['name'] = name
  if (mediaType !== undefined) kept['mediaType'] = mediaType
  return { ext: { [dialect]: kept } }
}

function keptOf(ext: JsonObject | undefined, dialects: readonly string[]): JsonObject {
  if (ext === undefined) return {}
  for (const [index, dialect] of dialects.entries()) {
    const kept = Object.hasOwn(ext, dialect) ? ext[dialect] : undefined
    if (isJsonObject(kept)) return boundDepth(keptFields(kept, index === 0))
  }
  return {}
}

/**
 * An event may come from anywhere, so only fields of the right type are taken. Unknown fields stay in their
 * version.
 */
function keptFields(kept: JsonObject, isOwn: boolean): JsonObject {
  const { metadata, rest, fileRest, name, mediaType } = kept
  return {
    ...(isJsonObject(metadata) ? { metadata } : {}),
    ...(isOwn && isJsonObject(rest) ? { rest } : {}),
    ...(isOwn && isJsonObject(fileRest) ? { fileRest } : {}),
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof mediaType === 'string' ? { mediaType } : {}),
  }
}
