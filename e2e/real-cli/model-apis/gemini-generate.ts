import type { JsonObject, JsonValue, SseFrame } from '@sluice/protocol'
import { failureText, isFaultOfRequest, type ModelApi, type ModelSaying, piecesOf } from './model-api.ts'

/** Google's generateContent, as Gemini CLI uses it with an API key. */
export const geminiGenerate: ModelApi = {
  matches: (path) => /^\/v1(?:beta|alpha)?\/models\/[^/]+:(?:stream)?[gG]enerateContent$/.test(path),
  stream(saying, n) {
    const parts = partsOf(saying, n)
    return parts.map((part, index) => frame(answer(n, [part], { isLast: index === parts.length - 1 })))
  },
  whole: (saying, n) => answer(n, partsOf(saying, n), { isLast: true }),
  failure: (status) => ({
    error: {
      code: status,
      message: failureText,
      status: nameOf(status),
    },
  }),
}

function nameOf(status: number): string {
  if (status === 429) return 'RESOURCE_EXHAUSTED'
  return isFaultOfRequest(status) ? 'INVALID_ARGUMENT' : 'INTERNAL'
}

function partsOf({ thought, text, calls }: ModelSaying, n: number): readonly JsonObject[] {
  return [
    ...(thought === undefined ? [] : [{ text: thought, thought: true }]),
    ...(text === undefined ? [] : piecesOf(text).map((piece) => ({ text: piece }))),
    ...(calls ?? []).map(({ tool, args }, index) => ({
      functionCall: { id: `call_${n}_${index}`, name: tool, args },
    })),
  ]
}

function answer(
  n: number,
  parts: readonly JsonValue[],
  { isLast }: { readonly isLast: boolean },
): JsonObject {
  return {
    candidates: [
      { index: 0, content: { role: 'model', parts }, ...(isLast ? { finishReason: 'STOP' } : {}) },
    ],
    usageMetadata: {
      promptTokenCount: 11,
      candidatesTokenCount: 7,
      cachedContentTokenCount: 3,
      thoughtsTokenCount: 2,
      totalTokenCount: 20,
    },
    modelVersion: 'gemini-2.5-pro',
    responseId: `resp_${n}`,
  }
}

function frame(value: JsonObject): SseFrame {
  return { data: JSON.stringify(value) }
}
