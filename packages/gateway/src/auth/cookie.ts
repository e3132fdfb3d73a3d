/** With the prefix a browser takes the cookie only over https, for this host alone, and for all its paths. */
const cookieName = { plain: 'sluice', secure: '__Host-sluice' } as const

interface CookieOptions {
  /** Whether the browser talks https, to the gateway or to a proxy before it. */
  readonly secure: boolean
}

/** The value of the Set-Cookie header that keeps `token` where scripts and other sites do not reach it. */
export function formatCookie(token: string, options: CookieOptions & { readonly maxAgeMs: number }): string {
  const { secure, maxAgeMs } = options
  const name = secure ? cookieName.secure : cookieName.plain
  const attributes = `Path=/; Max-Age=${Math.floor(maxAgeMs / 1000)}; HttpOnly; SameSite=Strict`
  return `${name}=${token}; ${attributes}${secure ? '; Secure' : ''}`
}

/** The value of the Set-Cookie header that removes the cookie. */
export function clearCookie({ secure }: CookieOptions): string {
  return formatCookie('', { secure, maxAgeMs: 0 })
}

/** The token in a Cookie header, the one that was set over https first. */
export function readCookie(
  header: string | undefined,
): { readonly token: string; readonly secure: boolean } | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim())
  for (const secure of [true, false]) {
    const prefix = `${secure ? cookieName.secure : cookieName.plain}=`
    const token = pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length)
    if (token !== undefined && token !== '') return { token, secure }
  }
  return undefined
}
