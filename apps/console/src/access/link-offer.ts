import { type CallerResource, type Client, createClient } from '@sluice/client'
import { toSluiceError } from '@sluice/react'

/** What a link would change. */
export interface LinkOffer {
  readonly token: string
  /** Who is signed in. */
  readonly now: CallerResource
  /** Who the link would sign in. */
  readonly instead: CallerResource
}

/**
 * What is to be done with the key of a link while somebody is signed in: `take` it when they no longer are, `ignore` it when
 * it makes no difference, and otherwise ask. Rejects when the gateway does not take the key.
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
