import type { Level, OpenBlock } from './open-block.ts'

const maxHeldLength = 256

/**
 * Whether the beginning of a line is so far only a mark (`-`, `|--`, `##`) whose meaning depends on the next
 * characters. Shown at once, it would turn text above it into a heading, or appear as text for a moment. In
 * code only the mark that ends the code counts, and a number only where it could be the next of a list.
 */
export function isHeldBack(line: string, level: Level): boolean {
  if (line.length > maxHeldLength) return false
  const tip = tipOf(level)
  if (tip?.kind === 'fence') return /^[\s>]*[`~]+\s*$/.test(line)
  if (/^[-=*+_#>`~|:\s]+$/.test(line)) return true
  return isNumbered(level) && /^\s*\d{1,9}[.)]?$/.test(line)
}

/** The block that the next line is tried on first. */
function tipOf({ open }: Level): OpenBlock | undefined {
  if (open?.kind === 'quote') return tipOf(open.level)
  return open?.kind === 'list' ? (tipOf(open.item.level) ?? open) : open
}

function isNumbered({ open }: Level): boolean {
  if (open?.kind === 'quote') return isNumbered(open.level)
  return open?.kind === 'list' && (open.start !== undefined || isNumbered(open.item.level))
}
