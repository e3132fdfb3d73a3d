/** The credential in the fragment of an address: `#token=…`. A fragment is never sent to a server. */
export function tokenIn(hash: string): string | undefined {
  const token = new URLSearchParams(hash.replace(/^#/, '')).get('token')
  return token === null || token === '' ? undefined : token
}

/** Takes the credential out of the page's address, and so out of the history and of copied addresses. */
export function takeToken(): string | undefined {
  const token = tokenIn(location.hash)
  if (token !== undefined) history.replaceState(null, '', location.pathname + location.search)
  return token
}
