import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { headingsOf, withoutBlocks } from './markdown.ts'

/** Links of a page to files or headings of this repository that do not exist. */
export function deadLinks(path: string, markdown: string): readonly string[] {
  const text = withoutBlocks(markdown).replace(/`[^`\n]*`/g, '')
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => !isAlive(path, markdown, target))
    .map((target) => `${path}: ${target} leads nowhere`)
}

function isAlive(path: string, markdown: string, target: string): boolean {
  const [file = '', anchor] = target.split('#')
  const linked = file === '' ? path : posix.join(posix.dirname(path), file)
  if (file !== '' && !existsSync(linked)) return false
  if (anchor === undefined) return true
  const page = file === '' ? markdown : readFileSync(linked, 'utf8')
  return headingsOf(page).some((heading) => anchorOf(heading) === anchor)
}

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}
