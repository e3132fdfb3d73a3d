import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { corrections } from './corrections.ts'
import { suppressions } from './suppressions.generated.ts'

it('suppressions.generated.ts is what the generator writes', () => {
  const script = fileURLToPath(new URL('../../../../scripts/generate-suppressions.mjs', import.meta.url))
  const written = readFileSync(new URL('suppressions.generated.ts', import.meta.url), 'utf8')
  expect(execFileSync(process.execPath, [script, '--print'], { encoding: 'utf8' })).toBe(written)
})

it('every abbreviation ends with a full stop and every list is sorted', () => {
  const lists: readonly string[] = [
    ...suppressions.map(([, list]) => list),
    ...corrections.flatMap(([, own]) => Object.values(own)),
  ]
  for (const list of lists) {
    const entries = list.split('|')
    expect(entries.filter((entry) => !entry.endsWith('.'))).toEqual([])
    expect(entries).toEqual([...new Set(entries)].sort())
  }
})

it('every ordinary word was an abbreviation of CLDR, so that no correction outlives its reason', () => {
  const cldr = new Map(suppressions)
  for (const [language, { words }] of corrections) {
    const listed = cldr.get(language)?.split('|') ?? []
    expect((words?.split('|') ?? []).filter((word) => !listed.includes(word))).toEqual([])
  }
})
