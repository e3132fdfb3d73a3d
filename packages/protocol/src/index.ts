export { addDirsKey, invalidAddDirs, parseAddDirs } from './add-dirs.ts'
export type {
  Agent,
  AgentPresence,
  Run,
  RunAnswer,
  RunCompletion,
  RunHost,
  RunOutput,
  RunProcess,
  RunRequest,
} from './agent.ts'
export { type Backoff, type BackoffOptions, createBackoff } from './backoff.ts'
export type { Clock, Timer } from './clock.ts'
export {
  type Cursor,
  cursorPattern,
  type EventPlace,
  formatCursor,
  isSameCursor,
  maxCursorCharacters,
  parseCursor,
  placeAfter,
  startCursor,
  toCursor,
  unitsOf,
} from './cursor.ts'
export type {
  Decoded,
  Decoder,
  Dialect,
  DialectSupports,
  Encoded,
  Encoder,
  EntryPart,
  Frame,
  FrameIdentity,
  Origin,
  OutFrame,
  Support,
} from './dialect.ts'
export type { Direction, Entry, Source } from './entry.ts'
export { type ErrorCode, type ErrorDetails, errorTable, SluiceError } from './error.ts'
export {
  type AgentIdentity,
  type BoundaryHint,
  type Choice,
  type EventKind,
  eventKinds,
  type Handoff,
  type Message,
  type Meta,
  type Notice,
  type Outcome,
  type Part,
  type PartAdd,
  type Progress,
  type QuestionClose,
  type QuestionOpen,
  type QuestionType,
  type ResponseKind,
  type Risk,
  type SessionEnd,
  type SessionError,
  type SessionStart,
  type SluiceEvent,
  type Sources,
  type StateChange,
  type StateData,
  type Summaries,
  type TextChannel,
  type TextDelta,
  type TextEnd,
  type TextReset,
  type ToolCall,
  type ToolCallDelta,
  type ToolResult,
  type Unknown,
  type Urgency,
  type Usage,
} from './events.ts'
export { breach, type Finding, type Rule, type Verdict } from './finding.ts'
export { closeEntry, fold, foldEntry, timeOf } from './fold.ts'
export { type Draft, toFrames } from './frames.ts'
export { defaultMaxFrameBytes, type FramedText, type FramingFault } from './framing/framing-fault.ts'
export { createJsonElementsDecoder, type JsonElementsDecoder } from './framing/json-elements.ts'
export { type JsonLintFinding, lintJson } from './framing/lint-json.ts'
export { createNdjsonDecoder, encodeNdjson, type NdjsonDecoder } from './framing/ndjson.ts'
export { toOneLine } from './framing/one-line.ts'
export { createSseDecoder, type SseDecoder, type SseMessage } from './framing/sse-decoder.ts'
export { encodeSse, encodeSseComment, type SseFrame } from './framing/sse-encoder.ts'
export { createIdIndex, type IdIndex, type IdIndexOptions, type IdVerdict } from './id-index.ts'
export {
  type Admission,
  admit,
  admitEnd,
  admitMade,
  createIntake,
  decoderKey,
  type Intake,
  intakeRules,
  type Made,
  maxFrameDepth,
  type ParsedFrame,
  parseFrame,
  type Receipt,
} from './intake.ts'
export { isDeeperThan, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from './json.ts'
export { nearestName } from './nearest-name.ts'
export { omitUndefined, type WithoutUndefined } from './omit-undefined.ts'
export { type OutlineCall, type OutlineRow, outlineOf } from './outline.ts'
export {
  decodeOutline,
  type EncodedOutline,
  encodeOutline,
  type OutlinePage,
  type OutlineShape,
} from './outline-page.ts'
export { type PauseOptions, pause, type StopSignal, untilAborted } from './pause.ts'
export type {
  AgentResource,
  CallerResource,
  DialectResource,
  Input,
  LoginResource,
  QuestionResource,
  SessionPage,
  SessionResource,
} from './resources.ts'
export { type DividedEntry, divideEntry } from './resume.ts'
export { isRetryable, type RetryOptions, retry, retryAfterOf } from './retry.ts'
export {
  type CallState,
  createSessionState,
  type OutputState,
  type QuestionState,
  type SessionState,
} from './session-state.ts'
export { type Settled, settle } from './settle.ts'
export {
  applyPatch,
  diffStates,
  fromSnapshot,
  type Snapshot,
  type StatePatch,
  toSnapshot,
} from './snapshot.ts'
export { createSystemClock, type SystemClockOptions, systemClock } from './system-clock.ts'
export { emptyTable, type Table, tableGet, tablePick, tableSet, tableValues } from './table.ts'
export { trimWhiteSpace } from './trim-white-space.ts'
