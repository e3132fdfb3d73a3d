import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../testing/until.ts'
import { findProgram } from './find-program.ts'
import { readVersion } from './read-version.ts'

let folder = ''
const place = (...names: readonly string[]): string => join(folder, ...names)

function write(path: string, text: string): void {
  writeFileSync(path, text)
  chmodSync(path, 0o755)
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-find-'))
  for (const name of ['one', 'two', 'two/folder']) mkdirSync(place(name))
  writeFileSync(place('one', 'tool'), '')
  write(place('two', 'tool'), '#!/bin/sh\necho "tool 1.22.333-beta (built today)"\n')
  write(place('two', 'mute'), '#!/bin/sh\necho none\n')
  write(place('two', 'leaves'), '#!/bin/sh\nsleep 60 &\necho $! > "$0.pid"\necho 4.5.6\n')
  write(place('two', 'stays'), '#!/bin/sh\ntouch "$0.begun"\nexec sleep 60\n')
  write(place('two', 'broken'), '#!/bin/sh\necho 1.2.3; exit 1\n')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a program is the first on the path list that can be run', async () => {
  const path = [place('nowhere'), '', place('one'), place('two')].join(':')
  expect(await findProgram('tool', path)).toBe(place('two', 'tool'))
  expect(await findProgram('folder', path)).toBeUndefined()
  expect(await findProgram('none', path)).toBeUndefined()
  expect(await findProgram('tool', undefined)).toBeUndefined()
})

test('a program that is given as a path is there or not', async () => {
  expect(await findProgram(place('two', 'tool'), '')).toBe(place('two', 'tool'))
  expect(await findProgram(`./${relative(process.cwd(), place('two', 'tool'))}`, '')).toBe(
    place('two', 'tool'),
  )
  expect(await findProgram(place('one', 'tool'), '')).toBeUndefined()
})

test.each([
  ['tool', '1.22.333-beta'],
  ['mute', undefined],
  ['broken', undefined],
  ['nowhere', undefined],
])('the version that %s prints is %s', async (name, version) => {
  expect(await readVersion({ file: place('two', name), args: ['--version'], env: {} })).toBe(version)
})

test('a process that holds the pipe of a program does not hold up its version', async () => {
  const file = place('two', 'leaves')
  expect(await readVersion({ file, args: [], env: { PATH: process.env['PATH'] ?? '' } })).toBe('4.5.6')
  process.kill(Number(readFileSync(`${file}.pid`, 'utf8')))
})

test('a program that is no longer asked for its version is ended', async () => {
  const asked = new AbortController()
  const file = place('two', 'stays')
  const env = { PATH: process.env['PATH'] ?? '' }
  const version = readVersion({ file, args: [], env, signal: asked.signal })
  await until(() => existsSync(`${file}.begun`))
  asked.abort()
  expect(await version).toBeUndefined()
})
