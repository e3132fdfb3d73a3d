import type { ToolKind } from './schema.ts'
import { toolNames } from './tool-names.ts'

const kinds: ReadonlyMap<string, ToolKind> = new Map(
  Object.entries(toolNames).flatMap(
    ([kind, names]) => names.split(' ').map((name): [string, ToolKind] => [name, kind as ToolKind]), // a key of the record
  ),
)

/** What a tool of this name does, if known. */
export function toolKindOf(name: string): ToolKind | undefined {
  const known = kinds.get(name)
  if (known !== undefined) return known
  const parts = partsOf(name)
  const last = parts.at(-1) ?? ''
  return kinds.get(parts.join('__')) ?? (last.includes('_') ? kinds.get(last) : undefined)
}

/** A tool's name as it can be spoken: its words, without its server. Empty if nothing can be spoken. */
export function toSpokenTool(name: string): string {
  return (partsOf(name).at(-1) ?? '').replaceAll('_', ' ')
}

const maxUnits = 256

/**
 * The names of server and tool. `mcp__github__getIssue`, `github/get-issue` and `github.get_issue` end alike.
 */
function partsOf(name: string): readonly string[] {
  return name
    .slice(0, maxUnits)
    .split(/[/.:]|__/)
    .map(toWords)
    .filter((part) => part !== '')
}

function toWords(part: string): string {
  return part
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
    .toLowerCase()
}
