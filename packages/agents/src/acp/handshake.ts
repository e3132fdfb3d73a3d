import type {
  LoadSessionRequest,
  NewSessionRequest,
  PromptRequest,
  SetSessionConfigOptionRequest,
} from '@agentclientprotocol/sdk'
import type { JsonValue } from '@sluice/protocol'
import type { Mapped } from '../cli/cli-agent.ts'
import { sessionNotice } from '../cli/session-notice.ts'
import { protocolVersion } from './command.ts'
import { type NativeSession, readAbilities, readLastSession, readSession } from './native.ts'
import { encodeRequest, type RpcError, rpcCodes } from './rpc.ts'
import type { AcpState, Asked } from './state.ts'

/** What follows an answer on the way to the prompt. */
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

/** What becomes of a request that the agent refused on the way to the prompt. */
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

/** The run has failed with this. */
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
  return ask(state, 'list', 'session/list', { cwd: request.cwd })
}

/** Makes a session, or takes one up: without its history where the agent can do that. */
function open(state: AcpState): Mapped<AcpState> {
  const { session, abilities, request } = state
  const fresh: NewSessionRequest = { cwd: request.cwd, mcpServers: [] }
  if (session === undefined) return ask(state, 'open', 'session/new', fresh)
  const params: LoadSessionRequest = { ...fresh, sessionId: session }
  if (abilities.canResume) return ask(state, 'open', 'session/resume', params)
  return ask({ ...state, isLoaded: true }, 'open', 'session/load', params)
}

/** Tries the one way to log in that needs nobody; where there is a choice, somebody has to make it. */
function login(state: AcpState): Mapped<AcpState> {
  const [methodId, ...others] = state.abilities.logins
  if (state.hasLoggedIn || methodId === undefined || others.length > 0) return failLogin(state)
  return ask(state, 'login', 'authenticate', { methodId })
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
    return ask(state, 'model', 'session/set_config_option', params)
  }
  if (hasModels) return ask(state, 'model', 'session/set_model', { sessionId: session, modelId: wanted })
  return fail(state, `${state.names.label} backend error: models cannot be chosen`)
}

function prompt(state: AcpState): Mapped<AcpState> {
  const { session = '', model, abilities, request } = state
  const { name, version } = abilities
  const params: PromptRequest = { sessionId: session, prompt: [{ type: 'text', text: request.prompt }] }
  const notice = sessionNotice({
    session,
    ...(name === undefined ? {} : { name }),
    ...(version === undefined ? {} : { version }),
    ...(model === undefined ? {} : { model }),
  })
  return { ...ask(state, 'prompt', 'session/prompt', params), events: [notice] }
}

function ask(state: AcpState, asked: Asked, method: string, params: object): Mapped<AcpState> {
  const id = state.id + 1
  return { state: { ...state, asked, id }, events: [], write: [encodeRequest(id, method, params)] }
}

/** Words of agents that have no code for it: Gemini CLI. */
function isNotFound(words: string): boolean {
  return /\b(?:no previous sessions found|invalid session identifier|session not found)\b/i.test(words)
}
