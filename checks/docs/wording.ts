/** What ties a file to one machine: a folder of its owner, or the address of a package registry. */
const FORBIDDEN: readonly RegExp[] = [
  /(?<![\w.])[/](?:work|home|Users)[/][a-z]/,
  /https?:[/][/](?:registry|npm|mirror)s?\.[a-z]/,
]

/** The lines of a file with something that exists on one machine only. */
export function privateWords(path: string, text: string): readonly string[] {
  return text.split('\n').flatMap((line, index) => {
    const found = FORBIDDEN.map((pattern) => pattern.exec(line)?.[0]).find((match) => match !== undefined)
    return found === undefined ? [] : [`${path}:${index + 1}: ${found}`]
  })
}
