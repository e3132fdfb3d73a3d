import type { AaepFrame } from '../dialects/index.ts'

type CoreType = Extract<AaepFrame, { type: `aaep:${string}` }>['type']
/** A core event. A gateway's frames fit their schemas, so the type determines the fields. */
export type AaepEvent<T extends CoreType = CoreType> = Extract<AaepFrame, { type: T }>

export type Confirmation = AaepEvent<'aaep:agent.awaiting.confirmation'>
export type Clarification = AaepEvent<'aaep:agent.awaiting.clarification'>

const coreTypes: Readonly<Record<CoreType, true>> = {
  'aaep:agent.session.started': true,
  'aaep:agent.session.completed': true,
  'aaep:agent.session.errored': true,
  'aaep:agent.session.cancelled': true,
  'aaep:agent.state.changed': true,
  'aaep:agent.progress.updated': true,
  'aaep:agent.tool.invoked': true,
  'aaep:agent.tool.completed': true,
  'aaep:agent.output.streaming': true,
  'aaep:agent.awaiting.confirmation': true,
  'aaep:agent.awaiting.clarification': true,
  'aaep:agent.handoff.requested': true,
}

export function isCoreEvent(event: AaepFrame): event is AaepEvent {
  return Object.hasOwn(coreTypes, event.type)
}

/** The language of an event's text, if it names one. */
export function languageOf(event: AaepFrame): string | undefined {
  const named = 'language' in event && typeof event.language === 'string' ? event.language : undefined
  const language = named ?? event.localization_hints?.primary_language
  return language === 'und' ? undefined : language
}

/** The event of Sluice's own model that an AAEP event carries because AAEP has no field for it. */
export function carriedEvent(event: AaepFrame): Readonly<Record<string, unknown>> | undefined {
  const carried = event.extensions?.['sluice']?.['event']
  // An object, not a list: callers read its fields one by one.
  return typeof carried === 'object' && carried !== null && !Array.isArray(carried)
    ? (carried as Readonly<Record<string, unknown>>)
    : undefined
}
