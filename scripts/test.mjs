// Sets up, runs vitest with the arguments given, and ends with the line `N passed, N failed[, N skipped]`.
// `--soak` as the first argument: twenty times the rounds and a random seed. `--soak real-cli` installs and
// runs the real command-line agents; no other run does.

import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const soak = process.argv[2] === '--soak'
const filters = process.argv.slice(soak ? 3 : 2)

const seed = process.env.SLUICE_SEED || String(soak ? randomInt(2 ** 31) : 1)
const rounds = process.env.SLUICE_ROUNDS || String(soak ? 20 : 1)

process.exitCode = (await node(['scripts/setup.mjs'])) === 0 ? await test() : report({ failed: 1 })

async function test() {
  console.log(`tests: SLUICE_SEED=${seed} SLUICE_ROUNDS=${rounds}`)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  try {
    const countsFile = join(folder, 'counts.json')
    const reporters = ['--reporter=default', '--reporter=./scripts/count-reporter.mjs']
    const code = await node(['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...filters], {
      COUNTS_FILE: countsFile,
      SLUICE_SEED: seed,
      SLUICE_ROUNDS: rounds,
      ...(soak && filters.some((filter) => filter.includes('real-cli')) ? { SLUICE_REAL_CLI: '1' } : {}),
      ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }),
    })
    return report(countsOf(countsFile, code))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The reporter's counts. A failed run that names no failure (a crash, no test found) counts as one. */
function countsOf(file, code) {
  let counts = {}
  try {
    counts = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { failed: 1 }
  }
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts
}

function report({ passed = 0, failed = 0, skipped = 0 }) {
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  return failed === 0 ? 0 : 1
}

function node(args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, ...env },
    })
    // Ctrl+C reaches the child by itself; waiting for it keeps the last line last.
    const onSignal = (signal) => signal !== 'SIGINT' && child.kill(signal)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal)
    child.on('error', reject)
    child.on('close', (code) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, onSignal)
      resolve(code ?? 1)
    })
  })
}
