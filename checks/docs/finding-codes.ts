/** The finding codes that a source writes as literals: `code: 'a'`, and unions such as `code: 'a' | 'b'`. */
export function codesIn(text: string): readonly string[] {
  const places = text.matchAll(/\bcode: ((?:'[a-z0-9_]+'(?: \| )?)+)/g)
  const unions = text.matchAll(/\btype \w+Code =((?:\s*\|\s*'[a-z0-9_]+')+)/g)
  return [...places, ...unions].flatMap(([, literals = '']) =>
    [...literals.matchAll(/'([a-z0-9_]+)'/g)].map(([, code = '']) => code),
  )
}

/** Whether several dialects share the finding codes of a source; a dialect's own codes are on its page. */
export function isShared(path: string): boolean {
  return (
    /^packages\/(protocol|cli)\/src\/.*\.ts$|^packages\/gateway\/src\/kernel\/sessions\/(admission|published-events)\.ts$/.test(
      path,
    ) &&
    !path.endsWith('.test.ts') &&
    !/^packages\/protocol\/src\/(a2a|dialects\/[^/]+)\//.test(path) &&
    !path.includes('/testing/')
  )
}
