import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { TestOrder } from './scripts/test-order.ts'

// Workspace packages are tested from their sources; the other conditions are vite's defaults for Node.
const conditions = ['@sluice/source', 'module', 'node', 'development|production']
const rounds = Number(process.env['SLUICE_ROUNDS'] ?? 1)
// These install the programs that they run: `npm run soak -- real-cli`.
const realPrograms =
  process.env['SLUICE_REAL_CLI'] === '1'
    ? []
    : ['e2e/real-cli/{claude,codex,gemini,gemini-acp,opencode,opencode-acp}.test.ts']
// These inspect their own process: its memory, its signals, or whether its event loop has nothing left to do.
const introspective = [
  'packages/conformance/**/*.test.ts',
  'packages/agents/src/process/*.test.ts',
  'e2e/aaep/conformance*.test.ts',
  'e2e/hostile/random-requests.test.ts',
  'packages/gateway/src/kernel/fan-out/stalled-readers.test.ts',
]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  oxc: { jsx: { runtime: 'automatic' } },
  test: {
    testTimeout: 120_000 * rounds,
    hookTimeout: 120_000 * rounds,
    // The default of one second is too short for a busy machine.
    expect: { poll: { timeout: 60_000 } },
    // A third of the time of a worker is waiting: for sockets, for other processes, for a grace to pass.
    maxWorkers: Math.max(2, Math.ceil(availableParallelism() * 1.5)),
    sequence: { sequencer: TestOrder },
    projects: [
      // Modules have no state, so files share their imports, which otherwise take a third of the time.
      project('shared', {
        include: ['{packages,apps,e2e,scripts,checks}/**/*.test.{ts,tsx}'],
        exclude: introspective,
        isolate: false,
      }),
      project('alone', { include: introspective, exclude: [], isolate: true }),
    ],
  },
})

interface Project {
  readonly include: string[]
  readonly exclude: string[]
  readonly isolate: boolean
}

function project(name: string, { include, exclude, isolate }: Project) {
  return {
    extends: true as const,
    test: {
      name,
      include,
      exclude: ['**/node_modules/**', '**/dist/**', ...realPrograms, ...exclude],
      setupFiles: ['./vitest.setup.ts'],
      isolate,
    },
  }
}
