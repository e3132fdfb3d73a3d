import type { LoginResource } from '@sluice/client'

const storageKey = 'sluice.login'

/**
 * The login of this browser, shared by its tabs. It is kept in the storage of the page's origin, which
 * includes the port, so other programs on the same host cannot read it. If the page has no access to storage,
 * the login lasts as long as the page.
 */
export interface KeptLogin {
  /** The same object until it changes. */
  get(): LoginResource | undefined
  set(login: LoginResource | undefined): void
  subscribe(listener: () => void): () => void
}

export function createKeptLogin(): KeptLogin {
  const listeners = new Set<() => void>()
  let current = parseLogin(readText())

  function change(login: LoginResource | undefined): void {
    current = login
    for (const listener of [...listeners]) listener()
  }

  const onStorage = (event: StorageEvent): void => {
    // A null key means that all of the storage was cleared.
    if (event.key === storageKey || event.key === null) change(parseLogin(event.newValue))
  }

  return {
    get: () => current,
    set(login) {
      writeText(login === undefined ? undefined : JSON.stringify(login))
      change(login)
    },
    subscribe(listener) {
      if (listeners.size === 0) addEventListener('storage', onStorage)
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) removeEventListener('storage', onStorage)
      }
    },
  }
}

/** Parses a stored login; undefined if it is not one. Only the gateway knows if the login is still valid. */
export function parseLogin(text: string | null): LoginResource | undefined {
  try {
    const { token, expiresAt } = JSON.parse(text ?? '') as Partial<Record<string, unknown>> // checked below
    if (typeof token === 'string' && typeof expiresAt === 'number') return { token, expiresAt }
  } catch {
    // Nothing is stored, or this page did not write it.
  }
  return undefined
}

function readText(): string | null {
  try {
    return localStorage.getItem(storageKey)
  } catch {
    return null
  }
}

function writeText(text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, text)
  } catch {
    // Without storage the login lasts as long as the page.
  }
}
