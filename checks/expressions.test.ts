import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { slowExpressions } from './architecture/expressions.ts'
import type { Source } from './architecture/source.ts'

const sources = ['packages', 'apps']
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  )
  .filter((path) => /^(packages|apps)\/[^/]+\/src\/.*\.tsx?$/.test(path))
  .map((path): Source => ({ path, text: readFileSync(path, 'utf8') }))

const find = (text: string, known = {}): readonly string[] =>
  slowExpressions([{ path: 'packages/log/src/a.ts', text }], known)

describe('a regular expression', () => {
  test('takes linear time', () => {
    expect(slowExpressions(sources)).toEqual([])
  })

  test.each([
    ['const a = /(a+)+$/', 'exponential'],
    ['const a = text.split(/\\s*;\\s*/)', 'quadratic'],
    ["const a = new RegExp('a*a*$')", 'quadratic'],
    [`const b = "a*"\nconst a = new RegExp(\`\${b}\${b}$\`, "u")`, 'quadratic'],
    ["const b = String.raw`\\d*`\nconst a = new RegExp([b, b + '$'].join(''))", 'quadratic'],
    ["const a = Type.String({ pattern: '^(a*)*$' })", 'exponential'],
    ['const a = new RegExp(b)', 'nothing can be said'],
    ['const a = new RegExp(a)', 'nothing can be said'],
  ])('that takes more is found: %s', (text, why) => {
    expect(find(text)).toEqual([expect.stringContaining(why)])
  })

  test('may be an exception, as long as one is needed', () => {
    const known = { 'packages/log/src/a.ts: /a*a*$/': 'Short texts.' }
    expect(find('const a = /a*a*$/', known)).toEqual([])
    expect(find('const a = /a$/', known)).toEqual([expect.stringContaining('is not needed')])
    expect(slowExpressions([{ path: 'packages/log/src/a.test.ts', text: 'const a = /a*a*$/' }], {})).toEqual(
      [],
    )
  })
})
