import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@sluice/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openLogins } from './logins.ts'

let folder = ''
let path = ''
let nowMs = 0
const clock: Clock = { now: () => nowMs, monotonic: () => nowMs, after: () => ({ clear: () => {} }) }
const open = () => openLogins(clock, path)
const login = (id: string, subject = 'ada') => ({ id, subject, expiresAt: nowMs + 1000 })

beforeEach(() => {
  nowMs = 1_000_000
  folder = mkdtempSync(join(tmpdir(), 'sluice-logins-'))
  path = join(folder, 'logins.json')
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a login holds until it is ended or expires, across restarts', () => {
  open().add(login('a'))
  open().add(login('b'))
  expect(open().has('a')).toBe(true)
  open().end('a')
  expect([open().has('a'), open().has('b'), open().has('never')]).toEqual([false, true, false])
  nowMs += 1000
  expect(open().has('b')).toBe(false)
})

test('a subject has 32 logins, the oldest of which gives way', () => {
  const logins = open()
  logins.add(login('of another', 'eve'))
  for (let i = 0; i < 33; i++) logins.add(login(`login ${i}`))
  expect(logins.has('login 0')).toBe(false)
  for (let i = 1; i < 33; i++) expect(logins.has(`login ${i}`)).toBe(true)
  expect(logins.has('of another')).toBe(true)
})

test('the file holds no login that is over, and only its owner reads it', () => {
  const logins = open()
  logins.add(login('old'))
  nowMs += 1000
  logins.add(login('new'))
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ version: 1, logins: [login('new')] })
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['logins.json'])
})

test('a file that is bad or open to others is refused', () => {
  writeFileSync(path, '{"version":1,"logins":[{}]}', { mode: 0o600 })
  expect(open).toThrow(expect.objectContaining({ code: 'bad_config' }))
  writeFileSync(path, '{"version":1,"logins":[]}')
  chmodSync(path, 0o644)
  expect(open).toThrow(expect.objectContaining({ code: 'bad_config' }))
})

test('a login that cannot be kept is refused, and one that ends has ended all the same', () => {
  const logins = open()
  logins.add(login('a'))
  rmSync(folder, { recursive: true })
  writeFileSync(folder, 'no longer a folder')
  const failed = expect.objectContaining({ code: 'storage_failed' })
  expect(() => logins.add(login('b'))).toThrow(failed)
  expect(() => logins.end('a')).toThrow(failed)
  expect([logins.has('a'), logins.has('b')]).toEqual([false, false])
})
