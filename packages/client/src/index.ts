export type {
  AaepAccepted,
  AaepQuestion,
  AaepScope,
  AaepSubscriber,
  AaepTerms,
} from './aaep/messages.ts'
export type { AaepReceipt, ReplyOptions } from './aaep/replies.ts'
export type { AaepSubscription, SubscribeAaepOptions } from './aaep/subscribe-aaep.ts'
export type { Access } from './access.ts'
export type { Agents, StartRun } from './agents.ts'
export type { Receipt } from './batch.ts'
export {
  type Client,
  type ClientOptions,
  createClient,
  type ReadPageOptions,
  type SubscribeOptions,
} from './client.ts'
export type { ConnectionListener, ConnectionState } from './connection-state.ts'
export type {
  DialectName,
  DialectTypes,
  EventOf,
  FrameOf,
  PublishedFrame,
  SluiceFrame,
} from './frames.ts'
export type { Inspection, OutlineOptions } from './inspection.ts'
export type { Iteration } from './iterate.ts'
export type { Publisher, PublishTally } from './publisher.ts'
export type { PublisherOptions, PublishOptions } from './publishing.ts'
export type { Fetch, TokenSource } from './requester.ts'
export type {
  AgentResource,
  Answer,
  CallerResource,
  DialectResource,
  FramePage,
  Input,
  LoginResource,
  OutgoingMessage,
  QuestionResource,
  SessionChange,
  SessionPage,
  SessionResource,
  Snapshot,
  ToldEntry,
} from './resources.ts'
export type { AgentSession } from './session/agent-session.ts'
export type { SessionInput } from './session/pick-inputs.ts'
export type {
  AskOptions,
  Clarification,
  Confirmation,
  ConfirmOptions,
  CreateAgentSession,
  FailReason,
  HandoffOptions,
  ProgressOptions,
  RunToolOptions,
  TextOptions,
  Told,
  ToolOptions,
} from './session/session-options.ts'
export type { ToolHandle } from './session/tools.ts'
export type {
  Abortable,
  CreateSession,
  EndSession,
  ListSessions,
  SessionFilter,
  Sessions,
  WatchSessions,
} from './sessions.ts'
export type { SubscriptionItem } from './subscription.ts'
export type { TransportName } from './transport.ts'
export type { WebSocketConstructor, WebSocketLike } from './web-socket.ts'
