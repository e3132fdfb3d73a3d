import { defineConfig } from 'vitest/config'

// Workspace packages are tested from their sources; the other conditions are vite's own for Node.
const conditions = ['@sluice/source', 'module', 'node', 'development|production']
const rounds = Number(process.env['SLUICE_ROUNDS'] ?? 1)
// They install what they run: `npm run soak -- real-cli`.
const realPrograms =
  process.env['SLUICE_REAL_CLI'] === '1'
    ? []
    : ['e2e/real-cli/{claude,codex,gemini,gemini-acp,opencode,opencode-acp}.test.ts']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  oxc: { jsx: { runtime: 'automatic' } },
  test: {
    testTimeout: 120_000 * rounds,
    hookTimeout: 60_000 * rounds,
    maxWorkers: 2,
    projects: [
      // No module has state of its own, so these share what they import: that takes a third of their time otherwise.
      project(
        'parts',
        ['packages/{protocol,log,gateway,react}/**/*.test.{ts,tsx}', 'apps/**/*.test.{ts,tsx}'],
        false,
      ),
      // These start processes, or look at their own: its memory, its sockets.
      project(
        'whole',
        [
          'packages/{client,agents,conformance,cli}/**/*.test.ts',
          'e2e/**/*.test.ts',
          'scripts/**/*.test.ts',
          'checks/**/*.test.ts',
        ],
        true,
      ),
    ],
  },
})

function project(name: string, include: readonly string[], isolate: boolean) {
  return {
    extends: true as const,
    test: {
      name,
      include: [...include],
      exclude: ['**/node_modules/**', '**/dist/**', ...realPrograms],
      setupFiles: ['./vitest.setup.ts'],
      isolate,
    },
  }
}
