import type {
  LoadSessionRequest,
  NewSessionRequest,
  PromptRequest,
  SetSessionConfigOptionRequest,
} from '@agentclientprotocol/sdk'
import { type JsonValue, omitUndefined } from '@sluice/protocol'
import type { Mapped } from '../cli/cli-agent.ts'
import { sessionNotice } from '../cli/session-notice.ts'
import { protocolVersion } from './command.ts'
import { type NativeSession, readAbilities, readLastSession, readSession } from './native.ts'
import { encodeRequest, type RpcError, rpcCodes } from './rpc.ts'
import type { AcpState, Asked } from './state.ts'

/** The next step after a response, up to the prompt. */
export function proceed(
  state: AcpState,
  asked: Exclude<Asked, 'prompt'>,
  result: JsonValue,
): Mapped<AcpState> {
  switch (asked) {
    case 'initialize':
      return begin({ ...state, abilities: readAbilities(result) })
    case 'login':
      return open({ ...state, hasLoggedIn: true })
    case 'list': {
      const session = readLastSession(result, state.request.cwd)
      return session === undefined ? fail(state, 'no session found') : open({ ...state, session })
    }
    case 'open':
      return enter(state, readSession(result))
    case 'model':
      return prompt(state)
  }
}

/** Handles an error response: logs in if opening the session requires it, otherwise fails the run. */
export function refuse(state: AcpState, asked: Asked, { code, words }: RpcError): Mapped<AcpState> {
  const { label } = state.names
  if (code === rpcCodes.authRequired) return asked === 'open' ? login(state) : failLogin(state)
  switch (asked) {
    case 'login':
      return failLogin(state)
    case 'open':
      if (state.request.resume === undefined)
        return fail(state, `${label} backend error: no session was made (code=${code})`)
      if (code === rpcCodes.notFound || isNotFound(words)) return fail(state, 'session not found')
      return fail(state, `${label} backend error: the session was not resumed (code=${code})`)
    case 'model':
      return fail(state, `${label} backend error: model rejected by runtime (details redacted)`)
    case 'initialize':
    case 'list':
    case 'prompt':
      return fail(state, `${label} backend error: ${asked} failed (code=${code})`)
  }
}

/** Fails the run with this message. */
function fail(state: AcpState, message: string): Mapped<AcpState> {
  return {
    state: { ...state, asked: undefined, isBroken: true },
    events: [],
    verdict: { ok: false, message },
  }
}

function begin(state: AcpState): Mapped<AcpState> {
  const { abilities, names, request } = state
  if (abilities.protocolVersion !== protocolVersion)
    return fail(state, `${names.label} backend error: protocol version not supported`)
  const { resume } = request
  if (resume === undefined) return open(state)
  if (!abilities.canResume && !abilities.canLoad)
    return fail(state, `${names.label} backend error: sessions cannot be resumed`)
  if (resume.selector === 'id') return open({ ...state, session: resume.id })
  if (!abilities.canList) return fail(state, `${names.label} backend error: sessions cannot be listed`)
  return ask(state, { asked: 'list', method: 'session/list', params: { cwd: request.cwd } })
}

/** Creates a session, or resumes one, without replaying its history if the agent can do that. */
function open(state: AcpState): Mapped<AcpState> {
  const { session, abilities, request } = state
  const fresh: NewSessionRequest = { cwd: request.cwd, mcpServers: [] }
  if (session === undefined) return ask(state, { asked: 'open', method: 'session/new', params: fresh })
  const params: LoadSessionRequest = { ...fresh, sessionId: session }
  if (abilities.canResume) return ask(state, { asked: 'open', method: 'session/resume', params })
  return ask({ ...state, isLoaded: true }, { asked: 'open', method: 'session/load', params })
}

/** Tries to log in, once. With more than one login method, a person would have to choose. */
function login(state: AcpState): Mapped<AcpState> {
  const [methodId, ...others] = state.abilities.logins
  if (state.hasLoggedIn || methodId === undefined || others.length > 0) return failLogin(state)
  return ask(state, { asked: 'login', method: 'authenticate', params: { methodId } })
}

function failLogin(state: AcpState): Mapped<AcpState> {
  return fail(state, `${state.names.label} backend error: authentication required`)
}

function enter(before: AcpState, { id, model, modelSetting, hasModels }: NativeSession): Mapped<AcpState> {
  const session = before.session ?? id
  if (session === undefined) return fail(before, `${before.names.label} backend error: no session was made`)
  const wanted = before.request.model
  const state: AcpState = { ...before, session, model: wanted ?? model }
  if (wanted === undefined || wanted === model) return prompt(state)
  if (modelSetting !== undefined) {
    const params: SetSessionConfigOptionRequest = {
      sessionId: session,
      configId: modelSetting,
      value: wanted,
    }
    return ask(state, { asked: 'model', method: 'session/set_config_option', params })
  }
  if (hasModels)
    return ask(state, {
      asked: 'model',
      method: 'session/set_model',
      params: { sessionId: session, modelId: wanted },
    })
  return fail(state, `${state.names.label} backend error: models cannot be chosen`)
}

function prompt(state: AcpState): Mapped<AcpState> {
  const { session = '', model, abilities, request } = state
  const { name, version } = abilities
  const params: PromptRequest = { sessionId: session, prompt: [{ type: 'text', text: request.prompt }] }
  const notice = sessionNotice({
    session,
    ...omitUndefined({ name, version, model }),
  })
  return { ...ask(state, { asked: 'prompt', method: 'session/prompt', params }), events: [notice] }
}

interface AcpRequest {
  readonly asked: Asked
  readonly method: string
  readonly params: object
}

function ask(state: AcpState, { asked, method, params }: AcpRequest): Mapped<AcpState> {
  const id = state.id + 1
  return { state: { ...state, asked, id }, events: [], write: [encodeRequest(id, method, params)] }
}

/** Recognises the message of an agent that has no code for this: Gemini CLI. */
function isNotFound(words: string): boolean {
  return /\b(?:no previous sessions found|invalid session identifier|session not found)\b/i.test(words)
}
