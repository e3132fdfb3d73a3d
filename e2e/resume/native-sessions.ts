import { dialects } from '@sluice/protocol/dialects'
import { richSession } from '../../packages/protocol/src/testing/rich-session.ts'
import { encodeSession, entriesOf } from '../../packages/protocol/src/testing/sessions.ts'

export interface NativeSession {
  readonly id: string
  readonly dialect: string
  readonly texts: readonly string[]
}

/** The same session in each dialect, as a producer of that dialect sends it. */
export const nativeSessions: readonly NativeSession[] = dialects.map((dialect) => {
  const id = `sess_native${dialect.id.replaceAll('-', '')}`
  const frames = encodeSession(dialect, { id }, entriesOf(richSession).entries)
  return { id, dialect: dialect.id, texts: frames.map(({ data }) => data) }
})
