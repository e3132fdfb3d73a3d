import { omitUndefined } from '@sluice/protocol'
/** Which part of a session is shown. */
export type SessionPart = 'answer' | 'timeline' | 'charts'

/** A page of the console. */
export type Route =
  | { readonly page: 'home' }
  | {
      readonly page: 'session'
      readonly session: string
      readonly part: SessionPart
      /** The opened entry. */
      readonly seq?: number
      /** The session as it was after this entry. */
      readonly at?: number
    }
  | { readonly page: 'conversation'; readonly context: string }
  | { readonly page: 'unknown' }

const parts: readonly string[] = ['answer', 'timeline', 'charts'] satisfies readonly SessionPart[]

/** Reads the path and the query of an address. */
export function parseRoute(path: string, search: string): Route {
  if (path === '/') return { page: 'home' }
  const [, kind, name] = /^\/(sessions|conversations)\/([^/]+)$/.exec(path) ?? []
  const decoded = name === undefined ? undefined : decode(name)
  if (decoded === undefined) return { page: 'unknown' }
  if (kind === 'conversations') return { page: 'conversation', context: decoded }
  const query = new URLSearchParams(search)
  const seq = parseSeq(query.get('seq'))
  const at = parseSeq(query.get('at'))
  const asked = query.get('part') ?? (seq === undefined ? 'answer' : 'timeline')
  return omitUndefined({
    page: 'session',
    session: decoded,
    part: parts.includes(asked) ? (asked as SessionPart) : 'answer', // one of the list
    seq,
    at,
  })
}

/** The address of a route, without the origin. */
export function formatRoute(route: Route): string {
  switch (route.page) {
    case 'home':
    case 'unknown':
      return '/'
    case 'conversation':
      return `/conversations/${encodeURIComponent(route.context)}`
    case 'session': {
      const query = new URLSearchParams()
      const usual = route.seq === undefined ? 'answer' : 'timeline'
      if (route.part !== usual) query.set('part', route.part)
      if (route.seq !== undefined) query.set('seq', String(route.seq))
      if (route.at !== undefined) query.set('at', String(route.at))
      const search = query.toString()
      return `/sessions/${encodeURIComponent(route.session)}${search === '' ? '' : `?${search}`}`
    }
  }
}

function parseSeq(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
