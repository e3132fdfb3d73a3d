import type { Client } from '@sluice/client'
import { onTestFinished } from 'vitest'
import type { AnnouncementsSnapshot } from '../../packages/react/src/announcer/announcement-list.ts'
import {
  type Announcements,
  type AnnouncementsOptions,
  createAnnouncements,
} from '../../packages/react/src/announcer/announcements.ts'

/** Somebody who listens to a session. */
export interface Listening {
  readonly announcements: Announcements
  /** Every utterance so far, including those that the list has dropped. */
  texts(): readonly string[]
  snapshot(): AnnouncementsSnapshot
  /** Resolves when an utterance contains this. */
  heard(part: string): Promise<void>
  /** Resolves when the snapshot fits. */
  until(holds: (snapshot: AnnouncementsSnapshot) => boolean): Promise<void>
}

/** Listens to a session until the end of the test. */
export function listen(
  client: Client,
  session: string,
  more: Partial<AnnouncementsOptions> & { readonly isStarted?: boolean } = {},
): Listening {
  const { isStarted = true, ...options } = more
  const announcements = createAnnouncements({
    client,
    session,
    verbosity: 'normal',
    languages: ['en'],
    ...options,
  })
  const texts: string[] = []
  let lastId = 0
  announcements.subscribe(() => {
    for (const { id, text } of announcements.getSnapshot().utterances) {
      if (id <= lastId) continue
      if (id !== lastId + 1) throw new Error(`utterance ${lastId + 1} was never there`)
      lastId = id
      texts.push(text)
    }
  })
  const until = (holds: (snapshot: AnnouncementsSnapshot) => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!holds(announcements.getSnapshot())) return
        leave()
        resolve()
      }
      const leave = announcements.subscribe(look)
      look()
    })
  if (isStarted) announcements.start()
  onTestFinished(() => void announcements.stop())
  return {
    announcements,
    texts: () => texts,
    snapshot: announcements.getSnapshot,
    heard: (part) => until(() => texts.some((text) => text.includes(part))),
    until,
  }
}
