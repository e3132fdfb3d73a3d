import { defineConfig } from 'vite'

export default defineConfig({
  resolve: { conditions: ['@sluice/source', 'module', 'browser', 'development|production'] },
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    // The command serves it from there, both in a clone and as an installed package.
    outDir: '../../packages/cli/dist/console',
    emptyOutDir: true,
    target: 'es2023',
    // The page's policy allows nothing from elsewhere, and no data: scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:4747', '/aaep': 'http://127.0.0.1:4747' } },
})
