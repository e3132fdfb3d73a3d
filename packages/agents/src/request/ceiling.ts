import { SluiceError } from '@sluice/protocol'

/** What happens to a tool that needs permission, from the most restrictive to the least. */
const permissionOrder = ['deny', 'ask', 'allow'] as const

export type Permissions = (typeof permissionOrder)[number]

/** How far a request may go: as far as the operator's configuration, unless that lets requests go further. */
export interface Ceiling {
  readonly permissions: Permissions
  /** The opt-in of an agent's configuration. */
  readonly requestsMayRaisePermissions?: boolean
}

/** For an agent without permissions to configure. */
export const lowestCeiling: Ceiling = { permissions: 'deny' }

/** Something in a request that needs more than the lowest permissions. */
export interface Raise {
  /** The extension that asks for it. */
  readonly key: string
  /** The lowest permissions that include it; undefined if none do. */
  readonly needs: Permissions | undefined
  /** The most that a request may ask for below that, as text for people. */
  readonly most: string
}

/** Throws `run_not_permitted` if the request exceeds the configuration. Nothing is lowered silently. */
export function assertWithin(ceiling: Ceiling, { key, needs, most }: Raise): void {
  const { permissions, requestsMayRaisePermissions = false } = ceiling
  if (requestsMayRaisePermissions) return
  if (needs !== undefined && permissionOrder.indexOf(permissions) >= permissionOrder.indexOf(needs)) return
  throw new SluiceError('run_not_permitted', {
    message: `${key} asks for more than this agent is configured for: permissions is "${permissions}", and the most that a request may ask for is ${most}. Only requestsMayRaisePermissions in the configuration of the agent lets a request go above it.`,
    details: {
      path: `/extensions/${key}`,
      permissions,
      ceiling: most,
      setting: 'requestsMayRaisePermissions',
    },
  })
}
