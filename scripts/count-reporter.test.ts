import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-count-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function countsOf(text: string): Promise<unknown> {
  const countsFile = join(folder, 'counts.json')
  writeFileSync(join(folder, 'a.test.mjs'), text)
  const args = ['run', '--globals', `--root=${folder}`, `--reporter=${resolve('scripts/count-reporter.mjs')}`]
  const env = { ...process.env, COUNTS_FILE: countsFile }
  await new Promise((done) =>
    execFile(process.execPath, [resolve('node_modules/vitest/vitest.mjs'), ...args], { env }, done),
  )
  return JSON.parse(readFileSync(countsFile, 'utf8'))
}

test.each([
  ["test('a', () => {}); test('b', () => {})", { passed: 2, failed: 0, skipped: 0 }],
  ["test('a', () => { throw 1 }); test('b', () => {})", { passed: 1, failed: 1, skipped: 0 }],
  ["test.skip('a', () => {}); test.todo('b'); test('c', () => {})", { passed: 1, failed: 0, skipped: 2 }],
  ["import './missing.mjs'", { passed: 0, failed: 1, skipped: 0 }],
  [
    "describe('s', () => { beforeAll(() => { throw 1 }); test('a', () => {}) })",
    { passed: 0, failed: 1, skipped: 1 },
  ],
  [
    "test('a', async () => { Promise.reject(new Error('lost')); await new Promise(setImmediate) })",
    { passed: 1, failed: 1, skipped: 0 },
  ],
])('the counts of %s', async (text, counts) => {
  expect(await countsOf(text)).toEqual(counts)
})
