import { type Ref, useEffect, useImperativeHandle, useRef } from 'react'
import type { Utterance } from './announcement-list.ts'
import type { Announcements } from './announcements.ts'
import { LiveRegions } from './live-regions.tsx'
import { type Announced, type UseAnnouncementsOptions, useAnnouncements } from './use-announcements.ts'

/** The methods of an Announcer. */
export type AnnouncerHandle = Pick<Announcements, 'repeat' | 'skip' | 'whereAmI'>

export interface AnnouncerProps extends UseAnnouncementsOptions {
  /** Called once for each utterance when it is announced. */
  readonly onUtterance?: ((utterance: Utterance) => void) | undefined
  readonly className?: string | undefined
  readonly ref?: Ref<AnnouncerHandle> | undefined
}

/**
 * Announces a session through a screen reader or the browser's voice: whole sentences at the pace of the
 * listener, questions immediately, everything exactly once. It shows nothing.
 */
export function Announcer({ onUtterance, className, ref, ...options }: AnnouncerProps) {
  const announced = useAnnouncements(options)
  const { announcements } = announced
  useImperativeHandle(ref, () => {
    const { repeat, skip, whereAmI } = announcements
    return { repeat, skip, whereAmI }
  }, [announcements])
  useEachUtterance(announced, onUtterance)
  return <LiveRegions announced={announced} className={className} />
}

function useEachUtterance({ utterances, series }: Announced, listener: AnnouncerProps['onUtterance']): void {
  const heard = useRef({ series, id: 0 })
  const current = useRef(listener)
  useEffect(() => {
    current.current = listener
  })
  useEffect(() => {
    if (heard.current.series !== series) heard.current = { series, id: 0 }
    for (const utterance of utterances) {
      if (utterance.id <= heard.current.id) continue
      heard.current.id = utterance.id
      current.current?.(utterance)
    }
  }, [utterances, series])
}
