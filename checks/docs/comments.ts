/**
 * The comments of a file of TypeScript, JavaScript or CSS, each on its own lines. A comment begins at the
 * start of a line or after white space, which leaves out addresses in strings.
 */
export function commentsOf(source: string): string {
  return source.replace(/(?<=^|[\s{])\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*|[^\n]/gm, (found) => {
    if (found.startsWith('//')) return found.slice(2)
    if (found.startsWith('/*')) return found.slice(2, -2).replace(/^[ *]+/gm, '')
    return ''
  })
}
