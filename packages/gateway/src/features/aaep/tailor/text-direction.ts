/** The scripts that are written from right to left (Unicode, those in current use). */
const rightToLeft: ReadonlySet<string> = new Set([
  'Adlm',
  'Arab',
  'Aran',
  'Hebr',
  'Mand',
  'Mend',
  'Nkoo',
  'Rohg',
  'Samr',
  'Syrc',
  'Thaa',
  'Yezi',
])

/** The direction in which a language is written; left to right if its tag does not say. */
export function textDirectionOf(language: string): 'ltr' | 'rtl' {
  try {
    return rightToLeft.has(new Intl.Locale(language).maximize().script ?? '') ? 'rtl' : 'ltr'
  } catch {
    // AAEP's pattern accepts more than BCP 47 does.
    return 'ltr'
  }
}
