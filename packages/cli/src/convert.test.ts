import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSseDecoder } from '@sluice/protocol'
import { describe, expect, test } from 'vitest'
import { callSluice } from './testing/call-sluice.ts'
import { repository, startSluice } from './testing/run-sluice.ts'

const recording = 'examples/recording.aaep.ndjson'
const recorded = readFileSync(join(repository, recording), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'sluice-convert-'))

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}

describe('sluice convert', () => {
  test('copies a clean recording of the same dialect byte for byte', async () => {
    const { code, stdout, stderr } = await callSluice([
      'convert',
      '--from',
      'aaep',
      '--to',
      'aaep',
      recording,
    ])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(recorded)
  })

  test('recognises dialect and framing by itself, from a file and from standard input', async () => {
    const named = await callSluice([
      'convert',
      '--from',
      'aaep',
      '--to',
      'a2a',
      '--input',
      'ndjson',
      recording,
    ])
    expect(named.code).toBe(0)
    expect(lines(named.stdout).length).toBeGreaterThan(10)
    const array = `[\n${lines(recorded).join(',\n')}\n]\n`
    const pretty = lines(recorded)
      .map((line) => JSON.stringify(JSON.parse(line), null, 2))
      .join('\n')
    const sse = lines(recorded)
      .map((line) => `event: aaep.event\r\ndata: ${line}\r\n\r\n`)
      .join('')
    for (const input of [recorded, array, pretty, sse]) {
      const piped = await callSluice(['convert', '--to', 'a2a', '-'], input)
      expect(piped).toEqual(named)
    }
  })

  test('writes server-sent events whose data are the same frames, each with an id', async () => {
    const plain = await callSluice(['convert', '--to', 'a2a', recording])
    const framed = await callSluice(['convert', '--to', 'a2a', '--output', 'sse', recording])
    const decoder = createSseDecoder()
    const messages = decoder.push(Buffer.from(framed.stdout))
    expect(messages.map((message) => message.ok && message.data)).toEqual(lines(plain.stdout))
    expect(messages.every((message) => message.ok && message.id !== undefined)).toBe(true)
  })

  test('reports a bad line with its place and goes on', async () => {
    const [first = '', ...rest] = lines(recorded)
    const file = join(folder, 'broken.ndjson')
    writeFileSync(file, [first, '{"oops":', ...rest].join('\n'))
    const { code, stdout, stderr } = await callSluice(['convert', '--from', 'aaep', '--to', 'aaep', file])
    expect(code).toBe(1)
    expect(stderr).toBe(`${file}:2 not_json / This is not one JSON value.\n`)
    expect(stdout).toBe(recorded)
  })

  test('keeps a repeated event once, and gives another event of the same id a fresh one', async () => {
    const [first = '', second = '', ...rest] = lines(recorded)
    const other = second.replace(/"timestamp":"[^"]*"/, '"timestamp":"2030-01-01T00:00:00.000Z"')
    const { code, stdout, stderr } = await callSluice(
      ['convert', '--from', 'aaep', '--to', 'aaep', '-'],
      [first, first, second, other].join('\n'),
    )
    expect(rest.length).toBeGreaterThan(0)
    expect(code).toBe(1)
    expect(stderr).toContain('-:4 duplicate_event_id')
    const ids = lines(stdout).map((line) => (JSON.parse(line) as { event_id: string }).event_id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(stdout.startsWith(`${first}\n${second}\n`)).toBe(true)
  })

  test('selects one session of a recording with several', async () => {
    const other = recorded.replaceAll(/sess_[A-Za-z0-9]+/g, 'sess_other1')
    const mixed = lines(recorded).flatMap((line, index) => [line, lines(other)[index] ?? ''])
    const { code, stdout } = await callSluice(
      ['convert', '--from', 'aaep', '--to', 'aaep', '--session', 'sess_other1', '-'],
      mixed.join('\n'),
    )
    expect({ code, stdout }).toEqual({ code: 0, stdout: other })
  })

  test('keeps sessions apart, and refuses a second one where the target has no session ids', async () => {
    const other = recorded.replaceAll(/sess_[A-Za-z0-9]+/g, 'sess_other1').replaceAll('evt_', 'evt_b')
    const mixed = lines(recorded).flatMap((line, index) => [line, lines(other)[index] ?? ''])
    const both = await callSluice(['convert', '--from', 'aaep', '--to', 'aaep', '-'], mixed.join('\n'))
    expect({ code: both.code, lines: lines(both.stdout) }).toEqual({ code: 0, lines: mixed })
    const single = await callSluice(
      ['convert', '--from', 'aaep', '--to', 'stream-event', '-'],
      mixed.join('\n'),
    )
    const alone = await callSluice(['convert', '--from', 'aaep', '--to', 'stream-event', '-'], recorded)
    expect(single.stdout).toBe(alone.stdout)
    expect(lines(single.stderr).every((line) => line.includes(' second_session '))).toBe(true)
    expect(single.code).toBe(1)
  })

  test('names the session and dates the events of an input that has neither', async () => {
    const input =
      '{"type":"answer_chunk","data":{"text":"Hi. "}}\n{"type":"final_answer","data":{"text":"Hi. "}}\n'
    const { code, stdout } = await callSluice(
      [
        'convert',
        '--from',
        'stream-event',
        '--to',
        'aaep',
        '--session',
        'sess_named1',
        '--at',
        '2026-05-01T00:00:00Z',
        '-',
      ],
      input,
    )
    expect(code).toBe(0)
    const events = lines(stdout).map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(events[0]).toMatchObject({
      type: 'aaep:agent.session.started',
      session_id: 'sess_named1',
      timestamp: '2026-05-01T00:00:00.000Z',
      producer: { agent_id: 'unknown' },
    })
    expect(events.at(-1)).toMatchObject({
      type: 'aaep:agent.session.completed',
      timestamp: '2026-05-01T00:00:00.002Z',
    })
  })

  test('stops quietly when the reader of its output goes away', async () => {
    const child = startSluice(['convert', '--from', 'aaep', '--to', 'aaep', '-'])
    const stderr: Buffer[] = []
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
    child.stdin.on('error', () => {})
    child.stdout.destroy()
    child.stdin.end(recorded.repeat(50))
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect(code).toBe(0)
    expect(Buffer.concat(stderr).toString()).not.toMatch(/EPIPE|at /)
  })
})
