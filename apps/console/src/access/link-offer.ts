import { type CallerResource, type Client, createClient } from '@sluice/client'
import { toSluiceError } from '@sluice/react'

/** What a link would change. */
export interface LinkOffer {
  readonly token: string
  /** The caller that is signed in. */
  readonly now: CallerResource
  /** The caller that the link would sign in. */
  readonly instead: CallerResource
}

/**
 * Decides what to do with the key of a link: `take` it if nobody is signed in any longer, `ignore` it if it
 * changes nothing, and otherwise show the offer. Rejects when the gateway does not accept the key.
 */
export async function weighLink(client: Client, token: string): Promise<LinkOffer | 'take' | 'ignore'> {
  const instead = await createClient({ url: '/', token }).whoAmI()
  try {
    const now = await client.whoAmI()
    return isSame(now, instead) ? 'ignore' : { token, now, instead }
  } catch (thrown) {
    if (toSluiceError(thrown).details?.['status'] === 401) return 'take'
    throw thrown
  }
}

function isSame(one: CallerResource, other: CallerResource): boolean {
  return one.subject === other.subject && one.actions.join() === other.actions.join()
}
