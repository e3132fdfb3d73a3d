import type { CSSProperties } from 'react'
import type { Utterance } from './announcement-list.ts'
import type { Announced } from './use-announcements.ts'

export interface LiveRegionsProps {
  readonly announced: Announced
  readonly className?: string | undefined
}

/** How many lines a region keeps in the page. */
const maxLines = 50

/**
 * Invisible, but read aloud. React sets each property by itself, which every Content-Security-Policy allows.
 */
const hidden: CSSProperties = {
  position: 'absolute',
  width: 1,
  height: 1,
  margin: -1,
  padding: 0,
  border: 0,
  overflow: 'hidden',
  clipPath: 'inset(50%)',
  whiteSpace: 'nowrap',
}

/**
 * Two live regions, which exist from the first render on. Each utterance is added once: to the assertive one
 * when it is critical, otherwise to the polite one. Both are off while a voice speaks.
 */
export function LiveRegions({ announced, className }: LiveRegionsProps) {
  const { utterances, spokenUpTo, isSpoken, series } = announced
  const told = utterances.filter(({ id }) => id > spokenUpTo)
  const lines = (isCritical: boolean) =>
    told
      .filter((utterance) => utterance.isCritical === isCritical)
      .slice(-maxLines)
      .map((utterance) => <Line key={`${series}.${utterance.id}`} utterance={utterance} />)
  return (
    <div className={className} style={hidden} data-part="announcer">
      <div
        role="log"
        aria-live={isSpoken ? 'off' : 'polite'}
        aria-relevant="additions"
        aria-atomic="false"
        data-part="polite"
      >
        {lines(false)}
      </div>
      {/* Screen readers would read a whole `alert` again at each addition. */}
      <div
        aria-live={isSpoken ? 'off' : 'assertive'}
        aria-relevant="additions"
        aria-atomic="false"
        data-part="assertive"
      >
        {lines(true)}
      </div>
    </div>
  )
}

function Line({ utterance: { text, language } }: { readonly utterance: Utterance }) {
  return (
    <p lang={language} dir="auto">
      {text}
    </p>
  )
}
