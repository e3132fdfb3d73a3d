import type { SessionStart, SluiceEvent } from '../events.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { omitUndefined } from '../omit-undefined.ts'
import { hashHex } from '../session-id.ts'
import type { CallState, OutputState, SessionState } from '../session-state.ts'
import { tablePick, tableValues } from '../table.ts'
import { boundDepth } from './bound-depth.ts'
import { eventParts, toSluice } from './carried.ts'
import { stateArtifact, toDataPart, toolArtifact } from './encode-data.ts'
import {
  agentMessage,
  formatTime,
  questionParts,
  stateOf,
  terminalState,
  timestampOf,
  toA2aMessage,
  withoutTime,
} from './encode-status.ts'
import { outputSluice, partsArtifact } from './encode-text.ts'
import type { A2aArtifact, A2aMessage, A2aPart, A2aTask } from './model.ts'
import { fromModelPart } from './parts.ts'
import { activeMetadata, chunkName, completeMetadata, interruptMetadata } from './profile.ts'
import { keptIn } from './skeleton.ts'
import { type A2aView, type OutputView, outputOf } from './view.ts'

/** The task at the start of a session. */
export function encodeStart(view: A2aView, event: SessionStart, entry: { readonly at: number }): A2aTask {
  const { request: _request, ...start } = event
  return omitUndefined({
    type: 'task',
    taskId: view.task,
    contextId: view.context,
    status: { state: 'working', timestamp: timestampOf(event, entry) },
    history: event.request === undefined ? undefined : [requestMessage(view, event.request)],
    metadata: { sluice: withoutTime(toSluice(start)) },
  })
}

/** The task in the session's current state, for a client that joins here. */
export function encodeStand(view: A2aView, session: SessionState, dialects: readonly string[]): A2aTask {
  const { request, end } = session
  const history = [
    ...(request === undefined ? [] : [requestMessage(view, request)]),
    ...session.messages.map((message, index) =>
      toA2aMessage({ view, place: { seq: session.seq, unit: index }, dialects }, message),
    ),
  ]
  const artifacts = [
    ...tableValues(session.outputs).flatMap((output) => toArtifacts(view, output, dialects)),
    ...tableValues(session.calls).map(toToolArtifact),
    ...dataArtifacts(session),
  ]
  const message = statusMessage(view, session)
  return {
    type: 'task',
    taskId: view.task,
    contextId: view.context,
    status: omitUndefined({
      state: end === undefined ? stateOf(view) : terminalState(end.outcome),
      message,
      timestamp: formatTime(session.eventAt),
    }),
    ...(history.length === 0 ? {} : { history }),
    ...(artifacts.length === 0 ? {} : { artifacts }),
    metadata: { sluice: toTaskSluice(session) },
  }
}

function requestMessage(view: A2aView, request: string): A2aMessage {
  return {
    messageId: `request-${hashHex(view.task, 16)}`,
    role: 'user',
    parts: [{ type: 'text', text: request.toWellFormed() }],
    taskId: view.task,
    contextId: view.context,
    metadata: { sluice: { request: true } },
  }
}

function statusMessage(view: A2aView, session: SessionState): A2aMessage | undefined {
  const place = { seq: session.seq, unit: 0 }
  const reason = session.end?.error?.message
  if (reason !== undefined) return agentMessage(view, place, [{ type: 'text', text: reason.toWellFormed() }])
  const open = tablePick(session.questions, session.open.questions).at(-1)
  return open === undefined ? undefined : agentMessage(view, place, questionParts(open.opened))
}

/** The parts of a session's state that A2A has no field for. */
function toTaskSluice(session: SessionState): JsonObject {
  const { tools, progress, usage, status, end, omitted } = session
  const stand: SluiceEvent[] = []
  if (status !== 'idle') stand.push({ kind: 'state-change', to: status })
  if (progress !== undefined) stand.push(progress)
  if (usage !== undefined) stand.push(usage)
  for (const { opened, closed } of tableValues(session.questions))
    stand.push(opened, ...(closed === undefined ? [] : [closed]))
  if (end !== undefined) stand.push({ kind: 'session-end', ...end })
  const events = stand.map(({ meta: _meta, ...event }): JsonValue => toSluice(event as SluiceEvent)) // an event needs no meta
  return boundDepth({
    kind: 'session-start',
    ...omitUndefined({
      tools,
      omitted: omitted === undefined ? undefined : { ...omitted },
      stand: events.length === 0 ? undefined : events,
    }),
  })
}

function toArtifacts(view: A2aView, state: OutputState, dialects: readonly string[]): readonly A2aArtifact[] {
  const output = outputOf(view, state.output)
  if (output === undefined) return []
  const { artifact: artifactId } = output
  const parts = state.parts.map((part) => fromModelPart(part, dialects))
  const text: readonly A2aPart[] = state.take < 0 ? [] : [{ type: 'text', text: state.text }]
  if (output.isOwn) {
    const all = [...text, ...parts]
    return all.length === 0 ? [] : [toArtifact(output, { artifactId, state, parts: all }, dialects)]
  }
  const partsId = partsArtifact(output)
  return [
    ...(text.length === 0 ? [] : [toArtifact(output, { artifactId, state, parts: text }, dialects)]),
    ...(parts.length === 0 ? [] : [toArtifact(output, { artifactId: partsId, parts }, dialects)]),
  ]
}

interface ArtifactContent {
  readonly artifactId: string
  /** The state of the text; absent if the artifact has no text. */
  readonly state?: OutputState
  readonly parts: readonly A2aPart[]
}

function toArtifact(
  output: OutputView,
  { artifactId, state, parts }: ArtifactContent,
  dialects: readonly string[],
): A2aArtifact {
  const sluice: JsonObject = {
    ...outputSluice({ ...output, artifact: artifactId }, undefined),
    ...omitUndefined({
      contentType: state?.contentType,
      language: state?.language,
      // Code points of the text that are left out before this part of it (window.ts).
      omitted: state?.omitted || undefined,
    }),
  }
  const metadata = {
    ...(state !== undefined && state.take >= 0 ? progressionMetadata(state) : {}),
    ...(Object.keys(sluice).length === 0 ? {} : { sluice }),
  }
  return {
    artifactId,
    ...(artifactId === output.artifact ? headOf(output, state, dialects) : { name: artifactId }),
    parts,
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  }
}

/** An artifact that came from A2A keeps its name and description. */
function headOf(
  output: OutputView,
  state: OutputState | undefined,
  dialects: readonly string[],
): { readonly name: string; readonly description?: string } {
  const artifact = keptIn(state?.ext, dialects)?.kept.frame?.['artifact']
  if (!output.isOwn || !isJsonObject(artifact)) return { name: chunkName(output.artifact, output.channel) }
  const { name, description } = artifact
  return {
    name: typeof name === 'string' ? name : chunkName(output.artifact, output.channel),
    ...(typeof description === 'string' ? { description } : {}),
  }
}

function progressionMetadata(state: OutputState): JsonObject {
  if (state.open) return activeMetadata
  return state.interrupted === true ? interruptMetadata : completeMetadata
}

function toToolArtifact(state: CallState): A2aArtifact {
  const { call, tool, args, argsText, argsSummary, status, result, message, exitCode, durationMs } = state
  const parts: A2aPart[] = [
    toDataPart({
      kind: 'tool-call',
      call,
      tool,
      ...omitUndefined({ args, argsSummary }),
    }),
  ]
  if (argsText !== undefined) parts.push(toDataPart({ kind: 'tool-call-delta', call, argsText }))
  if (status !== undefined)
    parts.push(
      toDataPart({
        kind: 'tool-result',
        call,
        tool,
        status,
        ...omitUndefined({ result, message, exitCode, durationMs }),
      }),
    )
  return {
    artifactId: toolArtifact(call),
    ...(tool === '' ? {} : { name: tool.toWellFormed() }),
    parts,
    metadata: { sluice: { parts: eventParts } },
  }
}

function dataArtifacts({ sources, data }: SessionState): readonly A2aArtifact[] {
  const artifacts: A2aArtifact[] = []
  const metadata = { sluice: { parts: eventParts } }
  if (sources.length > 0)
    artifacts.push({
      artifactId: 'sources',
      name: 'sources',
      parts: [toDataPart({ kind: 'sources', items: sources })],
      metadata,
    })
  const parts: A2aPart[] = []
  if (data?.snapshot !== undefined) parts.push(toDataPart({ kind: 'state-data', snapshot: data.snapshot }))
  if (data !== undefined && data.patches.length > 0)
    parts.push(toDataPart({ kind: 'state-data', patch: data.patches }))
  if (parts.length > 0) artifacts.push({ artifactId: stateArtifact, name: 'state', parts, metadata })
  return artifacts
}
