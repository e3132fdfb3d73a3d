import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSystemClock, type SluiceError } from '@sluice/protocol'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { hashApiKey, isKeyOf, keyIdOf } from './api-key.ts'
import { addKey, type KeyRecord, listKeys, revokeKey, watchKeyFile } from './key-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-keys-'))
const path = join(folder, 'keys.json')
beforeEach(() => rmSync(path, { force: true }))
afterAll(() => rmSync(folder, { recursive: true }))

const made = { subject: 'ada', grants: ['publish:own'], createdAt: Date.UTC(2026, 0, 1) }
const record: KeyRecord = { id: 'a', subject: 'ada', hash: hashApiKey('x'), grants: ['publish:own'] }
const write = (keys: readonly unknown[]): void => writeFileSync(path, JSON.stringify({ version: 1, keys }))
const clock = createSystemClock()
const noProblem = (error: SluiceError): never => {
  throw error
}

describe('addKey()', () => {
  test('writes a hash of the key and answers the key itself', () => {
    const { id, key } = addKey(path, { ...made, agent: 'demo', expiresAt: Date.UTC(2027, 0, 1) })
    expect(keyIdOf(key)).toBe(id)
    expect(readFileSync(path, 'utf8')).not.toContain(key.split('_').at(-1))
    const [stored] = listKeys(path)
    expect(stored).toEqual({
      id,
      subject: 'ada',
      hash: hashApiKey(key),
      grants: ['publish:own'],
      agent: 'demo',
      createdAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2027-01-01T00:00:00.000Z',
    })
    expect(isKeyOf(key, stored?.hash ?? '')).toBe(true)
  })

  test('makes a file that only its owner reads, and keeps the mode of one that is there', () => {
    addKey(path, made)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    chmodSync(path, 0o640)
    addKey(path, made)
    expect(statSync(path).mode & 0o777).toBe(0o640)
    expect(listKeys(path)).toHaveLength(2)
  })

  test('writes nothing that could not be read again', () => {
    addKey(path, made)
    const before = readFileSync(path, 'utf8')
    expect(() => addKey(path, { ...made, grants: ['publish:everything'] })).toThrow('/keys/1/grants/0')
    expect(() => addKey(path, { ...made, subject: 'local' })).toThrow('/keys/1/subject')
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect(existsSync(`${path}.new`)).toBe(false)
  })

  test('stops while another command changes the file', () => {
    writeFileSync(`${path}.new`, '')
    expect(() => addKey(path, made)).toThrow(expect.objectContaining({ code: 'data_in_use' }))
    rmSync(`${path}.new`)
    addKey(path, made)
  })
})

test('revokeKey() removes one key and tells whether it was there', () => {
  const first = addKey(path, made)
  const second = addKey(path, made)
  expect(revokeKey(path, first.id)).toBe(true)
  expect(revokeKey(path, first.id)).toBe(false)
  expect(listKeys(path).map(({ id }) => id)).toEqual([second.id])
})

describe('a bad file', () => {
  test.each([
    ['{"version":1,\n "keys":[}', `${path}:2:`],
    ['', `${path}:1:1: This is not JSON.`],
    ['[]', 'the file'],
    ['{"version":2,"keys":[]}', '/version'],
    ['{"version":1}', 'keys'],
    [JSON.stringify({ version: 1, keys: [record, { ...record, id: 'b', hash: 'md5:1' }] }), '/keys/1/hash'],
    [JSON.stringify({ version: 1, keys: [{ ...record, id: 'A b' }] }), '/keys/0/id'],
    [JSON.stringify({ version: 1, keys: [{ ...record, grants: 'all' }] }), '/keys/0/grants'],
    [JSON.stringify({ version: 1, keys: [{ ...record, grant: [] }] }), '/keys/0'],
    [JSON.stringify({ version: 1, keys: [record, record] }), '/keys/1/id: another key has it'],
    [
      JSON.stringify({ version: 1, keys: [{ ...record, grants: ['publish:own', 'x:*'] }] }),
      '/keys/0/grants/1',
    ],
    [JSON.stringify({ version: 1, keys: [{ ...record, expiresAt: 'tomorrow' }] }), '/keys/0/expiresAt'],
    [
      JSON.stringify({ version: 1, keys: [{ ...record, expiresAt: '2026-13-01T00:00:00Z' }] }),
      '/keys/0/expiresAt',
    ],
    [JSON.stringify({ version: 1, keys: [{ ...record, subject: 'anonymous' }] }), '/keys/0/subject'],
    [JSON.stringify({ version: 1, keys: [{ ...record, id: 'local' }] }), '/keys/0/id'],
  ])('%s is refused with its place', (text, place) => {
    writeFileSync(path, text)
    for (const open of [
      () => watchKeyFile(path, { clock, onProblem: noProblem }),
      () => listKeys(path),
      () => addKey(path, made),
    ])
      expect(open).toThrow(
        expect.objectContaining({ code: 'bad_config', message: expect.stringContaining(place) }),
      )
  })

  test('is refused without quoting it', () => {
    writeFileSync(path, '{"secret-text": oops')
    expect(() => listKeys(path)).toThrow(
      expect.not.objectContaining({ message: expect.stringMatching(/secret|oops/) }),
    )
  })
})

describe('a watched file', () => {
  test('shows every change at once, however quickly one follows the other', () => {
    const file = watchKeyFile(path, { clock, onProblem: noProblem })
    expect(file.current().size).toBe(0)
    for (let round = 0; round < 200; round++) {
      const id = `k${String(round).padStart(3, '0')}`
      write([{ ...record, id }])
      expect([...file.current().keys()]).toEqual([id])
    }
    rmSync(path)
    expect(file.current().size).toBe(0)
  })

  test('keeps what it said while it is bad, and tells so once', () => {
    const problems: string[] = []
    write([record])
    const file = watchKeyFile(path, { clock, onProblem: ({ message }) => problems.push(message) })
    writeFileSync(path, '{')
    for (let round = 0; round < 3; round++) expect([...file.current().keys()]).toEqual(['a'])
    expect(problems).toEqual([`${path}:1:2: This is not JSON.`])
    write([{ ...record, id: 'b' }])
    expect([...file.current().keys()]).toEqual(['b'])
    writeFileSync(path, '{')
    file.current()
    expect(problems).toHaveLength(2)
  })

  test('is not read again while it stays the same', () => {
    write([record])
    const file = watchKeyFile(path, { clock, onProblem: noProblem })
    expect(file.current()).toBe(file.current())
  })
})
