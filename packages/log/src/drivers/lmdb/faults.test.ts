import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createDataDirectory } from '../../testing/data-directory.ts'
import { canRun, type FaultReport, type FaultWork, runFaults } from '../../testing/run-faults.ts'

const requireAll = process.env['SLUICE_REQUIRE'] === 'all'
const canMount = canRun('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs -o size=1m none /tmp'])
const canInject = canRun('strace', [
  '-f',
  '-o',
  '/dev/null',
  '-e',
  'inject=fdatasync:error=EIO:when=1000',
  'true',
])
if (!canMount)
  console.warn('full disks are not tested: run as root on Linux, with unshare and mount (util-linux)')
if (!canInject) console.warn('failing disks are not tested: install strace (apt-get install strace)')

const mebibyte = 1024 * 1024

async function meetFaults(command: (directory: string) => string[], work: Omit<FaultWork, 'directory'>) {
  const directory = await createDataDirectory()
  try {
    return await runFaults(command(directory.path), { ...work, directory: directory.path })
  } finally {
    await directory.remove()
  }
}

function expectNothingWrong(report: FaultReport, code: string): void {
  expect(report).toMatchObject({
    codes: [code],
    wrongWhileRefusing: 0,
    wrongAfterwards: 0,
    wrongAfterRestart: 0,
    wentOn: true,
  })
  expect(report.refusals).toBeGreaterThan(0)
  expect(report.records).toBeGreaterThan(0)
}

describe.skipIf(!canMount && !requireAll)('on a disk that is full', () => {
  const onSmallDisk = (size: number) => (directory: string) => [
    'unshare',
    '-m',
    'sh',
    '-c',
    `mount -t tmpfs -o size=${size} none ${directory} && exec "$@"`,
    'sh',
  ]

  test.each([
    ['at a commit', 1 << 30],
    ['at a commit or a regroup', 300_000],
  ])('a log refuses %s, is read on, and goes on when there is room', async (_, regroupBytes) => {
    const work = {
      regroupBytes,
      ballastBytes: 12 * mebibyte,
      attempts: 2,
      firstRecords: 4000,
      laterRecords: 40,
    }
    expectNothingWrong(await meetFaults(onSmallDisk(20 * mebibyte), work), 'storage_full')
  })
})

describe.skipIf(!canInject && !requireAll)('on a disk that fails', () => {
  // strace counts the calls of each thread separately.
  const failing = (call: string, when: string) => () => [
    'strace',
    ...['-f', '-qq', '-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${call}:error=EIO:when=${when}`],
  ]

  test.each([
    ['to sync', 'fdatasync', '14..15', 1 << 30],
    ['to sync while it regroups', 'fdatasync', '14..15', 30_000],
    ['to sync at one time or another', 'fdatasync', '13+11', 100_000],
  ])('a log refuses when it fails %s, is read on, and goes on', async (_, call, when, regroupBytes) => {
    const work = { regroupBytes, ballastBytes: 0, attempts: 12, firstRecords: 80, laterRecords: 80 }
    expectNothingWrong(await meetFaults(failing(call, when), work), 'storage_failed')
  })

  // Only the calls for one file of the tail fail.
  const failingTail = (faults: readonly string[]) => (directory: string) => [
    ...['strace', '-f', '-qq', '-o', '/dev/null', '-P', join(directory, 'data', 'tail-1.log')],
    ...faults.flatMap((fault) => ['-e', `inject=${fault}`]),
  ]

  test.each([
    ['the tail cannot be written', ['pwrite64:error=EIO:when=4..5'], 'storage_failed'],
    ['the tail has no room', ['pwrite64:error=ENOSPC:when=4..5'], 'storage_full'],
    ['the tail cannot be synced', ['fdatasync:error=EIO:when=4..5'], 'storage_failed'],
    [
      'the tail can neither be synced nor cut at once',
      ['fdatasync:error=EIO:when=4..5', 'ftruncate:error=EIO:when=1..2'],
      'storage_failed',
    ],
  ])('a log refuses when %s, is read on, and goes on', async (_, faults, code) => {
    const work = { regroupBytes: 1 << 30, ballastBytes: 0, attempts: 6, firstRecords: 80, laterRecords: 80 }
    expectNothingWrong(await meetFaults(failingTail(faults), work), code)
  })
})
