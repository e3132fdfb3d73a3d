import { type Action, actions, type Caller, type SessionTarget } from './caller.ts'

/** One thing that a credential allows: an action on the sessions of a scope. */
export interface Grant {
  readonly action: Action | '*'
  readonly scope: Scope
}

type Scope =
  | { readonly kind: 'all' }
  | { readonly kind: 'own' }
  | { readonly kind: 'label'; readonly name: string; readonly value: string }
  | { readonly kind: 'session' | 'agent'; readonly glob: string }

/** How many grants a credential may have, and how long each may be. */
export const maxGrants = 100
export const maxGrantLength = 256

/** What a grant looks like, for messages. */
export const grantForm =
  'ACTION:SCOPE, where ACTION is publish, subscribe, answer, run, admin or *, ' +
  'and SCOPE is own, *, label:NAME=VALUE, session:GLOB or agent:GLOB'

/** Reads `publish:own` and the like; undefined when it is no grant. */
export function parseGrant(text: string): Grant | undefined {
  if (text.length > maxGrantLength) return undefined
  const [, actionText, scopeText] = /^([a-z]+|\*):(.+)$/s.exec(text) ?? []
  const action = [...actions, '*' as const].find((name) => name === actionText)
  const scope = parseScope(scopeText ?? '')
  return action === undefined || scope === undefined ? undefined : { action, scope }
}

/** Reads all of `texts`, or answers undefined when one is no grant or there are too many. */
export function parseGrants(texts: readonly string[]): readonly Grant[] | undefined {
  if (texts.length > maxGrants) return undefined
  const grants = texts.flatMap((text) => parseGrant(text) ?? [])
  return grants.length === texts.length ? grants : undefined
}

/**
 * What a subject with these grants reaches. Its own sessions, as long as their events name no agent, are those of the
 * agent that the credential is bound to.
 */
export function createReach(
  grants: readonly Grant[],
  holder: Holder,
): Pick<Caller, 'can' | 'canCreate' | 'canSome'> {
  const isFor = (grant: Grant, action: Action): boolean => grant.action === '*' || grant.action === action
  const can = (action: Action, target: SessionTarget): boolean =>
    grants.some((grant) => isFor(grant, action) && covers(grant.scope, target, holder))
  return {
    can,
    canCreate: (target) => can('publish', { ...target, owner: holder.subject }),
    canSome: (action) => grants.some((grant) => isFor(grant, action)),
  }
}

interface Holder {
  readonly subject: string
  readonly agent: string | undefined
}

function parseScope(text: string): Scope | undefined {
  if (text === '*') return { kind: 'all' }
  if (text === 'own') return { kind: 'own' }
  const [, kind, rest = ''] = /^(label|session|agent):(.+)$/s.exec(text) ?? []
  if (kind === 'session' || kind === 'agent') return { kind, glob: rest }
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(rest) ?? []
  return kind === 'label' && name !== undefined && value !== undefined ? { kind, name, value } : undefined
}

function covers(scope: Scope, target: SessionTarget, holder: Holder): boolean {
  const isOwn = target.owner === holder.subject
  switch (scope.kind) {
    case 'all':
      return true
    case 'own':
      return isOwn
    case 'label':
      return target.labels[scope.name] === scope.value
    case 'session':
      return matchesGlob(target.id, scope.glob)
    case 'agent':
      return matchesGlob(target.agent ?? (isOwn ? holder.agent : undefined), scope.glob)
  }
}

/** Whether `glob` is all of `text`, where `*` stands for any characters. At most |text| × |glob| steps. */
export function matchesGlob(text: string | undefined, glob: string): boolean {
  if (text === undefined) return false
  let at = 0
  let place = 0
  let star = -1
  let retry = 0
  while (at < text.length) {
    if (glob[place] === '*') {
      star = place++
      retry = at
    } else if (glob[place] === text[at]) {
      place++
      at++
    } else if (star >= 0) {
      place = star + 1
      at = ++retry
    } else return false
  }
  while (glob[place] === '*') place++
  return place === glob.length
}
