import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callSluice } from './testing/call-sluice.ts'
import { repository, startSluice } from './testing/run-sluice.ts'
import { createDataDirectory, type GatewayProcess, readUntil, startGateway } from './testing/start-gateway.ts'

const patiently = { timeout: 60_000 }

const recording = 'examples/recording.aaep.ndjson'
/** Who answered is a claim when a publisher says it, so that the gateway would not hand on that frame as it came. */
const claim = ',"by":"user:ada"'
const recorded = readFileSync(join(repository, recording), 'utf8').replace(claim, '')
const chunk = (text: string): string => `{"type":"answer_chunk","data":{"text":"${text}"}}\n`

let data = ''
let removeData: () => Promise<void>
let gateway: GatewayProcess
const on = (): readonly string[] => ['--data', data]

beforeAll(async () => {
  const [directory, remove] = await createDataDirectory()
  data = directory
  removeData = remove
  gateway = await startGateway(data)
})
afterAll(async () => {
  await gateway.end('SIGKILL')
  await removeData()
})

describe('sluice publish and sluice tail', () => {
  test('bring a recording through the gateway byte for byte, and a second time as duplicates', async () => {
    const publish = ['publish', 'sess_evoraweekend', '--producer', 'me', ...on()]
    expect(await callSluice(publish, recorded)).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await callSluice(publish, recorded)).toEqual({ code: 0, stdout: '', stderr: '' })
    const tail = ['tail', 'sess_evoraweekend', '--dialect', 'aaep', ...on()]
    expect(await callSluice(tail)).toEqual({ code: 0, stdout: recorded, stderr: '' })
  })

  test('keep every byte of a frame, also where JSON readers do not', async () => {
    const [first = '', ...rest] = recorded.trim().split('\n')
    const odd = first.replace(
      '"expected_duration_ms":30000',
      '"expected_duration_ms":30000,"10":1.0,"2":12345678901234567890',
    )
    // A token that another session has would be replaced.
    const input = `${[odd, ...rest].join('\n')}\n`
      .replaceAll('sess_evoraweekend', 'sess_odd')
      .replaceAll('"rpl_', '"rpl_odd')
    expect((await callSluice(['publish', 'sess_odd', ...on()], input)).code).toBe(0)
    expect((await callSluice(['tail', 'sess_odd', '--dialect', 'aaep', ...on()])).stdout).toBe(input)
  })

  test('tell who answered as a claim of the publisher', async () => {
    const file = readFileSync(join(repository, recording), 'utf8')
    expect(file).toContain(claim)
    const input = file.replaceAll('sess_evoraweekend', 'sess_claim').replaceAll('"rpl_', '"rpl_claim')
    expect(await callSluice(['publish', 'sess_claim', ...on()], input)).toEqual({
      ...{ code: 0, stdout: '', stderr: '' },
    })
    const { stdout } = await callSluice(['tail', 'sess_claim', '--dialect', 'aaep', ...on()])
    expect(stdout).toContain('"claimedBy":"user:ada"')
    expect(stdout).not.toContain('"by":')
    expect(stdout.split('\n')).toHaveLength(input.split('\n').length)
    const text = await callSluice(['tail', 'sess_claim', '--output', 'text', ...on()])
    expect(text.stdout).toContain('\n= answered (claimed by user:ada): accept\n')
  })

  test('show a session as text', async () => {
    const { stdout } = await callSluice(['tail', 'sess_evoraweekend', '--output', 'text', ...on()])
    expect(stdout).toMatch(/^# Trip planner was asked: A weekend/)
    expect(stdout).toMatch(/Have a lovely weekend! 🚆\n# completed after 14.3 s\n$/)
  })

  test('go on behind a cursor, and join text', async () => {
    const all = (await callSluice(['tail', 'sess_evoraweekend', ...on()])).stdout.trim().split('\n')
    const rest = (await callSluice(['tail', 'sess_evoraweekend', '--after', '9', ...on()])).stdout
      .trim()
      .split('\n')
    expect(rest).toEqual(all.slice(10))
    const joined = (await callSluice(['tail', 'sess_evoraweekend', '--coalesce', 'paragraph', ...on()]))
      .stdout
    expect(joined.trim().split('\n').length).toBeLessThan(all.length)
  })

  test('refused lines are told with their place, and the others are stored', async () => {
    const input = `${chunk('a')}nonsense\n\n${chunk('b')}[1]\n`
    const args = ['publish', 'sess_refused', '--dialect', 'stream-event', '--end', ...on()]
    const { code, stdout, stderr } = await callSluice(args, input)
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^-:5 wrong_type \/ .+\n$/) })
    expect(stdout.split('\n')[0]).toMatch(/^-:2 not_json \/ \S/)
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toContain('-:2')
    const text = await callSluice(['tail', 'sess_refused', '--output', 'text', ...on()])
    expect(text.stdout).toContain('ab\n')
  })

  test('refused lines as JSON', async () => {
    const own = recorded.replaceAll('sess_evoraweekend', 'sess_other')
    const [first = '', second = '', third = ''] = own.split('\n')
    const input = [first, second.replace('sess_other', 'sess_stranger'), third].join('\n')
    const { code, stdout } = await callSluice(['publish', 'sess_other', '--json', ...on()], input)
    expect(code).toBe(1)
    const lines = stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { line: 2, code: 'session_mismatch', path: expect.any(String), message: expect.any(String) },
    ])
  })

  test('findings on what is stored are told with their place, and the exit code says so', async () => {
    const [, second = '', third = ''] = recorded.replaceAll('sess_evoraweekend', 'sess_late').split('\n')
    const publish = ['publish', 'sess_late', '--dialect', 'aaep', ...on()]
    const { code, stdout, stderr } = await callSluice(publish, `\n${second}\n${third}\n`)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^-:2 not_started \/ \S.*\n$/)
    const other = ['publish', 'sess_later', '--dialect', 'aaep', '--json', ...on()]
    const asJson = await callSluice(other, `${second.replaceAll('sess_late', 'sess_later')}\n`)
    expect(JSON.parse(asJson.stderr)).toEqual({
      ...{ line: 1, code: 'not_started', path: '' },
      message: expect.any(String),
    })
  })

  test('a wrong token is told', async () => {
    const args = ['tail', 'sess_evoraweekend', '--gateway', gateway.url, '--token', 'wrong']
    const { code, stderr } = await callSluice(args)
    expect(code).toBe(3)
    expect(stderr).toContain('credential')
  })

  test('the same lines under the same producer are stored once', async () => {
    const args = ['publish', 'sess_named', '--dialect', 'stream-event', '--producer', 'me', ...on()]
    await callSluice(args, chunk('a') + chunk('b'))
    await callSluice([...args, '--end'], chunk('a') + chunk('b') + chunk('c'))
    const { stdout } = await callSluice(['tail', 'sess_named', '--output', 'text', ...on()])
    expect(stdout).toContain('abc\n')
  })

  test('an event reaches a reader before the next one was written', async () => {
    const publisher = startSluice(['publish', 'sess_live', '--dialect', 'stream-event', '--end', ...on()])
    publisher.stdin.write(chunk('first'))
    await expect
      .poll(async () => (await fetch(`${gateway.url}/v1/sessions/sess_live`)).status, patiently)
      .toBe(200)
    const reader = startSluice(['tail', 'sess_live', '--output', 'text', ...on()])
    expect(await readUntil(reader.stdout, /first/)).toContain('first')
    publisher.stdin.write(chunk('second'))
    expect(await readUntil(reader.stdout, /second/)).toContain('second')
    publisher.stdin.end()
    const codes = await Promise.all(
      [publisher, reader].map(async (child) => (await once(child, 'exit'))[0] as number),
    )
    expect(codes).toEqual([0, 0])
  })

  test.each([
    { args: ['publish'], code: 2, says: 'Usage: sluice publish SESSION' },
    { args: ['publish', 'sess_a', 'a', 'b'], code: 2, says: 'Usage: sluice publish SESSION' },
    { args: ['publish', 'sess_a', 'no-such-file'], code: 2, says: 'there is no such file' },
    { args: ['publish', 'sess_a', '--producer', 'a b'], code: 2, says: '--producer needs' },
    { args: ['publish', 'sess_a', '--gateway', 'nowhere'], code: 2, says: '--gateway needs an address' },
    { args: ['publish', 'sess_a', '--dialect', 'aeep'], code: 2, says: 'Did you mean aaep?' },
    { args: ['tail'], code: 2, says: 'Usage: sluice tail SESSION' },
    { args: ['tail', 'sess_a', '--coalesce', 'never'], code: 2, says: '--coalesce is word' },
    {
      args: ['tail', 'sess_a', '--dialect', 'aaep', '--output', 'text'],
      code: 2,
      says: 'omit --dialect',
    },
    { args: ['tail', 'sess_none'], code: 4, says: 'no such session' },
    { args: ['tail', 'sess_evoraweekend', '--token', 'wrong'], code: 2, says: '--token needs --gateway' },
    { args: ['tail', 'sess_evoraweekend', '--after', 'x'], code: 2, says: 'cursor' },
    { args: ['sessions', '--state', 'opne'], code: 2, says: 'Did you mean open?' },
    { args: ['sessions', '--limit', '0'], code: 2, says: '--limit needs' },
  ])('answer $args with $code', async ({ args, code, says }) => {
    const run = await callSluice([...args, ...on()], chunk('x'))
    expect(run.stderr).toContain(says)
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: '' })
  })

  test.each([['publish', 'sess_a'], ['tail', 'sess_a'], ['sessions']])(
    '%s says when nobody answers at the address, or when it is no gateway',
    async (...command) => {
      const server = createServer((_, response) => response.writeHead(404).end('no')).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const other = await callSluice([...command, '--gateway', url], chunk('x'))
      server.close()
      await once(server, 'close')
      const nobody = await callSluice([...command, '--gateway', url], chunk('x'))
      expect(nobody.code).toBe(5)
      expect(nobody.stderr).not.toBe('')
      expect(other.code).toBeGreaterThan(1)
      expect(other.stderr).not.toBe('')
    },
  )
})

describe('sluice sessions', () => {
  test('lists sessions as a table and as JSON, by state', async () => {
    const table = (await callSluice(['sessions', ...on()])).stdout.split('\n')
    expect(table[0]).toMatch(/^SESSION +STATE +STATUS +ENTRIES +CHANGED +REQUEST$/)
    expect(table.find((line) => line.startsWith('sess_evoraweekend '))).toMatch(
      / completed +25 +\d+ \w+ ago +A weekend in Évora/,
    )
    const json = await callSluice(['sessions', '--state', 'ended', '--json', '--limit', '1', ...on()])
    const lines = json.stdout.trim().split('\n')
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ state: 'ended' })
  })
})
