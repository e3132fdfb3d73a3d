/**
 * The tag in `offered` that is closest to what a reader wants, in the order of AAEP §11: for each wanted
 * language, best first, the same tag, then another region (`en` and `en-US` are one language either way),
 * then another script; finally the producer's own fallbacks. Undefined if none is close. Ignores case.
 */
export function matchLanguage(
  wanted: readonly string[],
  offered: readonly string[],
  fallbackChain: readonly string[] = [],
): string | undefined {
  if (offered.length === 0) return undefined
  for (const list of [wanted, fallbackChain])
    for (const tag of list) {
      const found = nearestOf(tag, offered)
      if (found !== undefined) return found
    }
  return undefined
}

function nearestOf(tag: string, offered: readonly string[]): string | undefined {
  const lower = tag.toLowerCase()
  const exact = offered.find((candidate) => candidate.toLowerCase() === lower)
  if (exact !== undefined) return exact
  const want = toLocale(tag)
  if (want === undefined) return undefined
  let nearest: { readonly tag: string; readonly nearness: number } | undefined
  for (const candidate of offered) {
    const nearness = nearnessOf(want, toLocale(candidate))
    if (nearness > (nearest?.nearness ?? 0)) nearest = { tag: candidate, nearness }
  }
  return nearest?.tag
}

/** 3: the same apart from spelling, 2: another region, 1: another script, 0: another language. */
function nearnessOf(want: Intl.Locale, offer: Intl.Locale | undefined): number {
  if (offer === undefined || offer.language !== want.language) return 0
  if (offer.script !== want.script) return 1
  return offer.region === want.region ? 3 : 2
}

/** With script and region, even if the tag omits them. Undefined for a tag that names no language. */
function toLocale(tag: string): Intl.Locale | undefined {
  try {
    const locale = new Intl.Locale(tag)
    // `und` would be maximized to English, and V8 reports its language as missing.
    return locale.baseName.startsWith('und') ? undefined : locale.maximize()
  } catch {
    // AAEP's pattern allows more than BCP 47.
    return undefined
  }
}
