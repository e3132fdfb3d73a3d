import { defineConfig } from 'vitest/config'

// Workspace packages are tested from their sources; the other conditions are vite's own for Node.
const conditions = ['@sluice/source', 'module', 'node', 'development|production']
const rounds = Number(process.env['SLUICE_ROUNDS'] ?? 1)

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    setupFiles: ['./vitest.setup.ts'],
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    testTimeout: 120_000 * rounds,
    hookTimeout: 60_000 * rounds,
    // One more than the cores that a small machine has: many tests wait for another process.
    maxWorkers: 3,
  },
})
