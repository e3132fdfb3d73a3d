import type { Notice } from '@sluice/protocol'
import { nameOf } from './map-ask.ts'
import type { NativeLine } from './native.ts'

type NoticeLine = Extract<
  NativeLine,
  { type: 'retry' | 'denied' | 'compacted' | 'other_model' | 'rate_limit' }
>

const rateLimits: ReadonlySet<string> = new Set(['allowed', 'allowed_warning', 'rejected'])

/** A notice for a line that a person may want to know about. Omits reasons, which quote tool input. */
export function toNotice(line: NoticeLine): Notice {
  switch (line.type) {
    case 'retry': {
      const { attempt, most, status } = line
      const which = attempt === undefined ? '' : ` ${attempt}${most === undefined ? '' : `/${most}`}`
      const why = status === undefined ? '' : ` (status=${status})`
      return notice('warning', 'api_retry', `api retry${which}${why}`)
    }
    case 'denied': {
      const { tool, call } = line
      const text = `Claude Code was not allowed to use ${nameOf(tool)}.`
      const denied = notice('warning', 'permission_denied', text)
      return call === undefined ? denied : { ...denied, meta: { ...denied.meta, parent: call } }
    }
    case 'compacted':
      return notice('info', 'context_compacted', 'context compacted')
    case 'other_model':
      return notice('warning', 'model_fallback', 'another model goes on')
    case 'rate_limit': {
      const status = rateLimits.has(line.status) ? line.status : 'changed'
      return notice(status === 'allowed' ? 'debug' : 'warning', 'rate_limit', `rate limit ${status}`)
    }
  }
}

function notice(level: Notice['level'], code: string, text: string): Notice {
  return { kind: 'notice', level, code, text, meta: { channel: level === 'warning' ? 'warning' : 'status' } }
}
