/** The address if it is an absolute one. URL.canParse() of Node 20 fails at Latin letters once it is optimised. */
export function parseUrl(address: string): URL | undefined {
  try {
    return new URL(address)
  } catch {
    return undefined
  }
}
