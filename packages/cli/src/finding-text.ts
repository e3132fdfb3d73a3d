import type { PlacedFinding } from './recording.ts'

/** `FILE:LINE code /pointer message`. Control characters that a key may hold are shown, not sent to the terminal. */
export function formatFinding(file: string, finding: PlacedFinding): string {
  const path = finding.path === '' ? '/' : finding.path
  return `${file}:${finding.line} ${finding.code} ${escapeControls(path)} ${finding.message}\n`
}

function escapeControls(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Zl}\p{Zp} ]/gu,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
