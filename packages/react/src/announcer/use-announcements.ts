import { systemClock } from '@sluice/protocol'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { createBrowserVoice } from '../speech/browser-voice.ts'
import type { AnnouncementsSnapshot } from './announcement-list.ts'
import type { AnnouncementTerms } from './announcement-terms.ts'
import { type Announcements, type AnnouncementsOptions, createAnnouncements } from './announcements.ts'

type Given<T> = { readonly [K in keyof T]?: T[K] | undefined }

export interface UseAnnouncementsOptions
  extends Pick<AnnouncementsOptions, 'client' | 'session' | 'from' | 'clock'>,
    Given<AnnouncementTerms> {
  /** Speaks with the browser's own voice. If it has none or fails, live regions announce instead. */
  readonly speak?: boolean | undefined
}

/** The announcements of a session so far, and the object that makes them. */
export interface Announced extends AnnouncementsSnapshot {
  readonly announcements: Announcements
  /** Another session starts another series, whose ids count from 1 again. */
  readonly series: number
}

/**
 * Announces a session while the component is mounted. Verbosity (`normal`), rate, languages (`en`) and load
 * may change at any time; another client, session or `from` starts again.
 */
export function useAnnouncements(options: UseAnnouncementsOptions): Announced {
  const { client, session, from, clock = systemClock, speak = false } = options
  const { verbosity = 'normal', rateWpm, load } = options
  const languages = (options.languages ?? ['en']).join()

  const create = (series: number) => {
    const terms = { verbosity, rateWpm, load, languages: languages.split(',') }
    return { client, session, from, series, announcements: createAnnouncements({ ...options, ...terms }) }
  }
  const [held, setHeld] = useState(() => create(0))
  let current = held
  if (held.client !== client || held.session !== session || held.from !== from) {
    current = create(held.series + 1)
    setHeld(current)
  }
  const { announcements, series } = current

  useEffect(() => {
    announcements.setTerms({ verbosity, rateWpm, load, languages: languages.split(',') })
  }, [announcements, verbosity, rateWpm, load, languages])

  useEffect(() => {
    if (!speak) return
    announcements.setVoice(createBrowserVoice(clock))
    return () => announcements.setVoice(undefined)
  }, [announcements, speak, clock])

  useEffect(() => {
    announcements.start()
    return () => void announcements.stop()
  }, [announcements])

  const { subscribe, getSnapshot } = announcements
  const snapshot = useSyncExternalStore(subscribe, getSnapshot, getSnapshot)
  return { ...snapshot, announcements, series }
}
