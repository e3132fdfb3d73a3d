import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dialects } from '@sluice/protocol/dialects'
import { describe, expect, test } from 'vitest'
import { callSluice } from './testing/call-sluice.ts'
import { repository, startSluice } from './testing/run-sluice.ts'

const ids = dialects.map(({ id }) => id)
const sentinel = 'SENTINEL7f3a'
const recorded = readFileSync(join(repository, 'examples/recording.aaep.ndjson'), 'utf8')

/** Inputs that no dialect allows. No message may repeat the sentinel in them. */
const inputs: Readonly<Record<string, string | Uint8Array>> = {
  'an empty input': '',
  'blank lines': '\n\n  \n',
  'binary garbage': Uint8Array.from({ length: 4096 }, (_, index) => (index * 197 + 13) % 256),
  'invalid JSON': `{"text": ${sentinel}}\n`,
  'a bare word': `${sentinel}\n`,
  'wrong types': `[1, null, true, "${sentinel}", [], {"type": 7, "kind": {}, "events": "${sentinel}"}]`,
  'nesting of 10 000 levels': `${'['.repeat(10_000)}"${sentinel}"${']'.repeat(10_000)}\n`,
  'nested objects of 10 000 levels': `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}\n`,
  'a number as the whole frame': '12345678901234567890\n',
}

describe.each(Object.entries(inputs))('%s', (_name, input) => {
  test.each(ids)('is told with its place, read as %s', async (id) => {
    const { code, stdout, stderr } = await callSluice(
      ['validate', '--dialect', id, '--input', 'ndjson', '-'],
      input,
    )
    expect(code).toBe(1)
    expect(stdout).toMatch(/^-:\d+ [a-z0-9_]+ \/\S* \S/)
    expect(stdout + stderr).not.toContain(sentinel)
    expect(stderr).toBe('')
  })
})

test('a line of 100 MB is left out with a finding, and the lines after it are read', async () => {
  const child = startSluice(['convert', '--from', 'aaep', '--to', 'aaep', '-'])
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  const [first = '', ...rest] = recorded.split('\n')
  child.stdin.write(`${first}\n{"text":"`)
  const megabyte = 'x'.repeat(1_000_000)
  for (let i = 0; i < 100; i++) {
    if (!child.stdin.write(megabyte)) await new Promise((resolve) => child.stdin.once('drain', resolve))
  }
  child.stdin.end(`"}\n${rest.join('\n')}`)
  const code = await new Promise((resolve) => child.on('close', resolve))
  expect(code).toBe(1)
  expect(Buffer.concat(err).toString()).toMatch(/^-:2 line_too_long \/ [^\n]*\n$/)
  expect(Buffer.concat(out).toString()).toBe(recorded)
})

test('half a surrogate pair waits for the other half across two events', async () => {
  const input =
    '{"type":"answer_chunk","data":{"text":"x\\ud83d"}}\n{"type":"answer_chunk","data":{"text":"\\ude00y"}}\n'
  const { stdout } = await callSluice(['convert', '--from', 'stream-event', '--to', 'aaep', '-'], input)
  const chunks = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { chunk?: string })
  expect(chunks.map(({ chunk }) => chunk ?? '').join('')).toBe('x😀y')
})

test.each(ids)('__proto__ as an id harms nothing, read as %s', async (id) => {
  const event =
    '{"@context":"https://aaep-protocol.org/context/v1","type":"__proto__","event_id":"__proto__","session_id":"__proto__","__proto__":{"polluted":1},"kind":"__proto__","agent_kind":"__proto__","taskId":"__proto__","data":{"__proto__":{"tool":"__proto__"}},"events":[{"kind":"__proto__"}]}\n'
  const { code, stderr } = await callSluice(['convert', '--from', id, '--to', 'sluice', '-'], event.repeat(2))
  expect(code === 0 || code === 1).toBe(true)
  expect(stderr).not.toMatch(/\n\s+at |went wrong/)
})

describe('sluice validate', () => {
  test('tells of keys that occur twice and of numbers that doubles do not hold', async () => {
    const input = '{"type":"log","data":{"level":"info","message":"m","n":9007199254740993},"type":"log"}\n'
    const { code, stdout } = await callSluice(['validate', '--dialect', 'stream-event', '--json', '-'], input)
    expect(code).toBe(1)
    const found = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(found).toMatchObject([
      { line: 1, code: 'unsafe_number', path: '/data/n' },
      { line: 1, code: 'duplicate_key', path: '/type' },
    ])
    for (const finding of found)
      expect(Object.keys(finding)).toEqual(['line', 'code', 'path', 'message', 'rule'])
  })

  test('finds nothing in the bundled recording', async () => {
    expect(await callSluice(['validate', 'examples/recording.aaep.ndjson'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
  })

  test('says when no dialect is recognised', async () => {
    const { code, stderr } = await callSluice(['validate', '-'], '{"nothing":"known"}\n')
    expect(code).toBe(2)
    expect(stderr).toContain('did not recognise')
  })
})
