import { readFileSync } from 'node:fs'
import { expect } from 'vitest'

export interface ListedLoss {
  /** A path such as `tool-call.args`. */
  readonly lost: string
  readonly towards: string
}

/** The rows `lost | towards | why` of a dialect's page. */
export function listedLosses(dialect: string): readonly ListedLoss[] {
  const page = readFileSync(new URL(`../../../../docs/dialects/${dialect}.md`, import.meta.url), 'utf8')
  const section = page.split(/^## What is lost$/m)[1]?.split(/^## /m)[0] ?? ''
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => {
      const [, lost = '', towards = '', why = ''] = line.split('|').map((cell) => cell.trim())
      expect(why.length, `a reason in ${line}`).toBeGreaterThan(10)
      const paths = lost.split(',').map((path) => path.trim().replaceAll('`', ''))
      return paths.flatMap((path) =>
        towards.split(',').map((target) => ({ lost: path, towards: target.trim().replaceAll('`', '') })),
      )
    })
}
