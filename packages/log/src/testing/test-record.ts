import { encodeRecord } from '../record.ts'

/** A record that contains its session and number. The number determines its size. */
export function testRecord(session: string, seq: number, attempt = 0): Uint8Array {
  // Mostly small, sometimes larger than a page, now and then larger than a session chunk.
  const padding = seq % 97 === 0 ? 70_000 : seq % 13 === 0 ? 5000 : 40 + (seq % 200)
  return encodeRecord({
    seq,
    at: 1000 + seq,
    source: { dialect: 'sluice', producer: 'p', subject: 'tester' },
    direction: 'event',
    raw: JSON.stringify({ session, attempt, padding: 'x'.repeat(padding) }),
    clean: true,
    events: [],
    diagnostics: [],
  })
}
