import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonValue } from '@sluice/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAddDirs } from './add-dirs.ts'
import { addDirsKey } from './extension-keys.ts'

let cwd = ''
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'sluice-dirs-'))
  for (const name of ['a', 'a/b', 'c', '~', '$HOME', 'e e']) mkdirSync(join(cwd, name))
  writeFileSync(join(cwd, 'file'), '')
  symlinkSync(join(cwd, 'a'), join(cwd, 'link'))
  symlinkSync(join(cwd, 'nowhere'), join(cwd, 'dangling'))
})
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

const read = (value: JsonValue): readonly string[] =>
  readAddDirs({ extensions: { [addDirsKey]: value }, addDirs: undefined, cwd })
const refusal = (place: string) =>
  expect.objectContaining({
    code: 'invalid_run',
    message: `invalid request: invalid agent_api.exec.add_dirs.v1${place}`,
  })

test('a request without directories adds none', () => {
  expect(readAddDirs({ extensions: {}, addDirs: undefined, cwd })).toEqual([])
})

test.each<[readonly string[], readonly string[]]>([
  [['a'], ['a']],
  [['./a/../c/.'], ['c']],
  [
    ['a/b', '..', 'a'],
    ['a/b', '..', 'a'],
  ],
  [
    ['c', 'a', './c', 'a/b/..'],
    ['c', 'a'],
  ],
  [[' \u0085a\u3000'], ['a']],
  [['e e'], ['e e']],
  // Nothing is expanded and no link is followed.
  [
    ['~', '$HOME', 'link'],
    ['~', '$HOME', 'link'],
  ],
])('the directories %j are %j of the working directory', (dirs, found) => {
  expect(read({ dirs })).toEqual(found.map((dir) => join(cwd, dir)))
})

test('an absolute directory may be anywhere', () => {
  expect(read({ dirs: [`${tmpdir()}/.`, tmpdir()] })).toEqual([tmpdir()])
})

test('16 directories are taken, 17 are not', () => {
  expect(read({ dirs: Array.from({ length: 16 }, () => 'a') })).toEqual([join(cwd, 'a')])
  expect(() => read({ dirs: Array.from({ length: 17 }, () => 'a') })).toThrow(refusal('.dirs'))
})

test.each<[JsonValue, string]>([
  ['SECRET', ''],
  [['a'], ''],
  [null, ''],
  [{}, ''],
  [{ dirs: ['a'], SECRET: 1 }, ''],
  [{ SECRET: ['a'] }, ''],
  [{ dirs: 'SECRET' }, '.dirs'],
  [{ dirs: { 0: 'a' } }, '.dirs'],
  [{ dirs: null }, '.dirs'],
  [{ dirs: [] }, '.dirs'],
  [{ dirs: [7] }, '.dirs[0]'],
  [{ dirs: ['a', null] }, '.dirs[1]'],
  [{ dirs: ['a', ''] }, '.dirs[1]'],
  [{ dirs: ['\u0085 '] }, '.dirs[0]'],
  [{ dirs: ['SECRET'] }, '.dirs[0]'],
  [{ dirs: ['a', 'c', 'file'] }, '.dirs[2]'],
  [{ dirs: ['dangling'] }, '.dirs[0]'],
  [{ dirs: ['a\0'] }, '.dirs[0]'],
  // 600 characters, 1200 bytes.
  [{ dirs: ['é'.repeat(600)] }, '.dirs[0]'],
  // Only its length is wrong.
  [{ dirs: [`${'./'.repeat(512)}a`] }, '.dirs[0]'],
])('the directories %j are refused by their place alone', (value, place) => {
  expect(() => read(value)).toThrow(refusal(place))
})

test('a directory of 1024 bytes is taken, with white space around it', () => {
  expect(read({ dirs: [`  ${'./'.repeat(511)}./`] })).toEqual([cwd])
})

test('directories that were checked are used to the letter, and no second reading stands beside them', () => {
  const addDirs = ['/a ', '/\u0085/..', '/link', '/nowhere']
  expect(readAddDirs({ extensions: {}, addDirs, cwd })).toBe(addDirs)
  const extensions = { [addDirsKey]: { dirs: ['a'] } }
  expect(() => readAddDirs({ extensions, addDirs, cwd })).toThrow(refusal(''))
})
