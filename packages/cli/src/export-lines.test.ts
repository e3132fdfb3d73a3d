import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeRecord, openLmdbLog } from '@sluice/log'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { exportLines } from './export-lines.ts'

let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-export-'))
})
afterEach(() => rm(directory, { recursive: true }))

async function linesOf(sessions: readonly string[]): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const line of exportLines(directory, { sessions, onLoss: () => {} })) lines.push(line)
  return lines
}

test('exportLines() writes out sessions, and not what the gateway keeps for itself', async () => {
  const log = await openLmdbLog({ directory, minFreeBytes: 0 })
  for (const name of ['sub_a', 'sess_a', 'subj_ax0']) {
    const lease = await log.openWriter(name)
    const record = encodeRecord({
      seq: 0,
      at: 1,
      source: { dialect: 'sluice' },
      direction: 'system',
      clean: true,
      events: [{ kind: 'notice', level: 'info', text: 'hello' }],
      diagnostics: [],
    })
    await log.append({ lease, firstSeq: 0, records: [record], at: 1 })
  }
  await log.close()
  const lines = await linesOf([])
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('"sess_a"')
  await expect(linesOf(['sub_a'])).rejects.toMatchObject({ code: 'unknown_session' })
})
