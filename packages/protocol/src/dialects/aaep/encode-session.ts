import type { SessionEnd, SessionError, SessionStart } from '../../events.ts'
import type { JsonObject } from '../../json.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { carryEvent, cut, toMilliseconds } from './bounds.ts'
import type { FrameBody } from './draft.ts'
import { toErrorCode } from './names.ts'
import type { SentenceKey } from './phrases/schema.ts'
import type { Speaker } from './sentences.ts'
import type { AaepView } from './view.ts'
import type { CoreEventName } from './wire/events.ts'
import { maxTerse, maxText } from './wire/vocabulary.ts'
import { coreTypeNamed } from './wire.ts'

/** The body of a core event. */
export function coreBody(
  name: CoreEventName,
  body: Omit<FrameBody, 'type' | 'core' | 'urgency'> & { readonly urgency?: FrameBody['urgency'] },
): FrameBody {
  const core = coreTypeNamed(name)
  return { type: core.type, core, urgency: 'normal', ...body }
}

/** The carried members, if there are any. */
export function carriedOf(...parts: readonly (JsonObject | undefined)[]): { readonly carried?: JsonObject } {
  let carried: JsonObject | undefined
  for (const part of parts) if (part !== undefined) carried = { ...carried, ...part }
  return omitUndefined({ carried })
}

export function startBody(
  view: Pick<AaepView, 'foreign' | 'context'>,
  event: SessionStart,
  speaker: Speaker,
): FrameBody {
  const { request, tools } = event
  const request_text = request === undefined ? undefined : cut(request, maxText)
  const tools_available = tools === undefined ? undefined : toTools(tools)
  const isLossy = tools_available?.length !== tools?.length || !isEvery(tools, tools_available)
  // The request appears in its own field or nowhere.
  const { request: _request, ...rest } = event
  const { foreign, context } = view
  return coreBody('agent.session.started', {
    fields: { request_text, tools_available },
    spoken: speaker.say('started'),
    hasText: request_text !== undefined && request_text !== '',
    ...carriedOf(
      foreign === undefined ? undefined : { session: foreign },
      context === undefined ? undefined : { context },
      isLossy ? carryEvent(rest) : undefined,
    ),
  })
}

function toTools(tools: readonly string[]): readonly string[] {
  return [...new Set(tools.map((tool) => cut(tool, 256)).filter((tool) => tool !== ''))].slice(0, 256)
}

function isEvery(list: readonly string[] | undefined, other: readonly string[] | undefined): boolean {
  return list === undefined || list.every((item, index) => item === other?.[index])
}

export function endBody(event: SessionEnd, speaker: Speaker): FrameBody {
  if (event.outcome === 'completed') return completedBody(event, speaker)
  return event.outcome === 'cancelled' ? cancelledBody(event, speaker) : erroredBody(event, speaker)
}

function completedBody(event: SessionEnd, speaker: Speaker): FrameBody {
  const duration_ms = event.durationMs === undefined ? undefined : toMilliseconds(event.durationMs)
  const isLossy = event.error !== undefined || namesAnybody(event) || duration_ms !== event.durationMs
  return coreBody('agent.session.completed', {
    fields: { duration_ms },
    spoken: speaker.say('completed'),
    hasText: false,
    ...carriedOf(isLossy ? carryEvent(event) : undefined),
  })
}

function namesAnybody({ by, claimedBy }: SessionEnd): boolean {
  return by !== undefined || claimedBy !== undefined
}

const cancellers: readonly (string | undefined)[] = ['user', 'producer', 'timeout', 'system']

const cancelledSentences: Readonly<Record<string, SentenceKey>> = {
  user: 'cancelledByUser',
  timeout: 'cancelledByTimeout',
}

function cancelledBody(event: SessionEnd, speaker: Speaker): FrameBody {
  const { by } = event
  const isKnown = cancellers.includes(by)
  const isLossy =
    event.error !== undefined ||
    event.durationMs !== undefined ||
    event.claimedBy !== undefined ||
    (by !== undefined && !isKnown)
  return coreBody('agent.session.cancelled', {
    fields: { cancelled_by: isKnown ? by : 'system' },
    spoken: speaker.say((isKnown ? cancelledSentences[by ?? ''] : undefined) ?? 'cancelled'),
    hasText: false,
    ...carriedOf(isLossy ? carryEvent(event) : by === undefined ? { invented: ['by'] } : undefined),
  })
}

const failedSentences: Readonly<Record<NonNullable<SessionError['category']>, SentenceKey>> = {
  transient: 'failedForNow',
  permanent: 'failedForGood',
  requires_user: 'failedWithoutYou',
  unknown: 'failed',
}

function erroredBody(event: SessionEnd, speaker: Speaker): FrameBody {
  const { error, outcome } = event
  const { category, code, message, recoverable, hint } = error ?? {}
  const error_code = code === undefined ? undefined : toErrorCode(code)
  const remediation_hint = hint === undefined ? undefined : cut(hint, maxTerse)
  const isLossy =
    outcome === 'rejected' ||
    namesAnybody(event) ||
    event.durationMs !== undefined ||
    message !== undefined ||
    (error !== undefined && category === undefined) ||
    error_code !== code ||
    remediation_hint !== hint ||
    hint === ''
  return coreBody('agent.session.errored', {
    fields: {
      error_category: category ?? (outcome === 'rejected' ? 'permanent' : 'unknown'),
      error_code,
      recoverable,
      remediation_hint: remediation_hint === '' ? undefined : remediation_hint,
    },
    spoken: speaker.say(outcome === 'rejected' ? 'rejected' : failedSentences[category ?? 'unknown']),
    hasText: remediation_hint !== undefined && remediation_hint !== '',
    ...carriedOf(isLossy ? carryEvent(event) : error === undefined ? { invented: ['error'] } : undefined),
  })
}
