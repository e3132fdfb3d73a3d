import { readFileSync } from 'node:fs'
import { expect } from 'vitest'

/** The paths that a dialect's page lists as lost, such as `tool-call.args`, sorted: the rows `lost | why`. */
export function listedLosses(dialect: string): readonly string[] {
  const page = readFileSync(new URL(`../../../../docs/dialects/${dialect}.md`, import.meta.url), 'utf8')
  const section = page.split(/^## What is lost$/m)[1]?.split(/^## /m)[0] ?? ''
  const paths = section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => {
      const [, lost = '', why = ''] = line.split('|').map((cell) => cell.trim())
      expect(why.length, `a reason in ${line}`).toBeGreaterThan(10)
      return lost.split(',').map((path) => path.trim().replaceAll('`', ''))
    })
  expect(
    paths.filter((path, index) => paths.indexOf(path) !== index),
    'paths listed twice',
  ).toEqual([])
  return paths.sort()
}
