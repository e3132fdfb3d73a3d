import type { SessionWords } from './session-words.ts'

const shapes: Readonly<Record<SessionWords['tone'], string>> = {
  live: '●',
  waiting: '?',
  ok: '✓',
  bad: '!',
  quiet: '–',
}

/** A state as a word with a mark: shown by shape and text, not by colour alone. */
export function StatusMark({ label, tone }: SessionWords) {
  return (
    <span className="status" data-tone={tone}>
      <span className="status-shape" aria-hidden="true">
        {shapes[tone]}
      </span>
      {label}
    </span>
  )
}
