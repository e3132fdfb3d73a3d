import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { formatBytes, formatDuration } from '../testing/format-amount.ts'
import { defaultConfig } from './config.ts'
import { isDuration } from './expectation.ts'
import { settings } from './settings.ts'

const page = readFileSync(new URL('../../../../docs/guides/configuration.md', import.meta.url), 'utf8')

function formatDefault(path: readonly string[]): string {
  const value = path.reduce<unknown>((at, name) => (at as Record<string, unknown>)?.[name], defaultConfig)
  const name = path.at(-1) ?? ''
  if (name === 'data') return 'see below'
  if (value === undefined || Array.isArray(value)) return 'none'
  if (typeof value !== 'number') return `\`${value}\``
  return `\`${isDuration(name) ? formatDuration(value) : name.endsWith('Bytes') ? formatBytes(value) : value}\``
}

test('the guide tells every setting with its variable, its default and its meaning, and no other', () => {
  const told = page.split('\n').filter((line) => /^\| `[^|]+` \| `SLUICE_/.test(line))
  const real = settings.map(
    ({ path, variable, schema }) =>
      `| \`${path.join('.')}\` | \`${variable}\` | ${formatDefault(path)} | ${schema.description} |`,
  )
  expect(told).toEqual(real)
})

test('the guide tells every key of an issuer', () => {
  const issuer = settings.find(({ pointer }) => pointer === '/auth/jwt')?.schema.items?.properties ?? {}
  const section = page.slice(page.indexOf('### Issuers of JWTs'), page.indexOf('## Mistakes'))
  const told = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, key]) => key)
  expect(told).toEqual(Object.keys(issuer))
})
