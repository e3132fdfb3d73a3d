import type { PlacedFinding } from './recording.ts'
import { toSafeLine } from './safe-text.ts'

/** `FILE:LINE code /pointer message`, on one line whatever the file is called and the pointer names. */
export function formatFinding(file: string, finding: Omit<PlacedFinding, 'rule'>): string {
  const path = finding.path === '' ? '/' : finding.path
  const words = [finding.code, escapeSpaces(path), finding.message].map((word) => toSafeLine(word, maxLength))
  return `${toSafeLine(file, maxLength)}:${finding.line} ${words.join(' ')}\n`
}

const maxLength = 2000

/** A pointer is one word. */
function escapeSpaces(text: string): string {
  return text.replace(/\s/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
