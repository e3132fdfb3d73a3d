import type { DrivenClock } from '@sluice/protocol/testing'
import { publishText } from '../testing/publish.ts'

/** Publishes a session, event by event, at the same times in every run. `onPublished` may delay it. */
export async function publishSession(
  url: string,
  {
    session,
    texts,
    clock,
  }: { readonly session: string; readonly texts: readonly string[]; readonly clock: DrivenClock },
  onPublished: (count: number) => Promise<void> = async () => {},
): Promise<void> {
  for (const [index, text] of texts.entries()) {
    clock.advance(5 + ((index * 7) % 23))
    await publishText(url, session, { dialect: 'sluice', text })
    await onPublished(index + 1)
  }
}
