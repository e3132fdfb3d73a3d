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

/** The number and length of grants that a credential may have. */
export const maxGrants = 100
export const maxGrantLength = 256

/** The form of a grant, for messages. */
export const grantForm =
  'ACTION:SCOPE, where ACTION is publish, subscribe, answer, run, admin or *, ' +
  'and SCOPE is own, *, label:NAME=VALUE, session:GLOB or agent:GLOB'

/** Parses grants such as `publish:own`; undefined when the text is not a grant. */
export function parseGrant(text: string): Grant | undefined {
  if (text.length > maxGrantLength) return undefined
  const [, actionText, scopeText] = /^([a-z]+|\*):(.+)$/s.exec(text) ?? []
  const action = [...actions, '*' as const].find((name) => name === actionText)
  const scope = parseScope(scopeText ?? '')
  return action === undefined || scope === undefined ? undefined : { action, scope }
}

/** Parses all of `texts`; undefined when one of them is not a grant or there are too many. */
export function parseGrants(texts: readonly string[]): readonly Grant[] | undefined {
  if (texts.length > maxGrants) return undefined
  const grants = texts.flatMap((text) => parseGrant(text) ?? [])
  return grants.length === texts.length ? grants : undefined
}

/**
 * What a subject with these grants reaches. Its own sessions whose events name no agent count as sessions of
 * the agent that the credential is bound to.
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

/** Whether `glob` matches all of `text`; `*` matches any characters. Takes at most |text| × |glob| steps. */
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
