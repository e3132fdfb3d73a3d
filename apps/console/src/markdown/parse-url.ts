/** The URL, if the address is absolute. URL.canParse() of Node 20 fails on Latin letters once optimised. */
export function parseUrl(address: string): URL | undefined {
  try {
    return new URL(address)
  } catch {
    return undefined
  }
}
