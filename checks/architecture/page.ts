/** Reads a file, or undefined if there is none; a folder reads as an empty text. */
type Look = (path: string) => string | undefined

const gateway = 'packages/gateway/src/'

/** What the section "The way of one event" names and the repository does not have, and a wrong number of files. */
export function wayFaults(page: string, look: Look): readonly string[] {
  const way = sectionOf(page, 'The way of one event')
  const named: string[] = []
  let text = ''
  const faults = [...way.matchAll(/`([^`]+)`/g)].flatMap(([, name = '']) => {
    if (name.endsWith('.ts')) {
      const path = candidates(name, named).find((candidate) => look(candidate) !== undefined)
      if (path === undefined) return [`there is no file ${name}`]
      if (!named.includes(path)) named.push(path)
      text = look(path) ?? ''
      return []
    }
    const [, call] = /^(\w+)\(\)$/.exec(name) ?? []
    return call === undefined || new RegExp(String.raw`\b${call}\(`).test(text)
      ? []
      : [`${named.at(-1)} has no ${name}`]
  })
  const counted = Number(/That is (\d+) files/.exec(way)?.[1])
  return counted === named.length ? faults : [...faults, `the way has ${named.length} files, not ${counted}`]
}

/** What the code map names and the repository does not have. */
export function mapFaults(page: string, look: Look): readonly string[] {
  const [, map = ''] = sectionOf(page, 'Code map').split('```')
  let root = ''
  let folder = ''
  return map.split('\n').flatMap((line) => {
    const [, indent = '', names = ''] = /^( *)([^\s,]+(?:, [^\s,]+)*)/.exec(line) ?? []
    if (names === '') return []
    if (indent === '') root = names
    else if (indent.length === 2) folder = names.endsWith('/') ? names : ''
    const base = indent === '' ? '' : indent.length === 2 ? root : root + folder
    return names
      .split(', ')
      .map((name) => base + name.replace('<id>', 'sluice'))
      .filter((path) => look(path) === undefined)
      .map((path) => `there is no ${path}`)
  })
}

/** The paths that a name may mean: a name without a folder is beside a file that was named before it. */
function candidates(name: string, named: readonly string[]): readonly string[] {
  const [first = '', ...rest] = name.replace('<id>', 'sluice').split('/')
  if (rest.length === 0) return named.map((path) => path.replace(/[^/]+$/, first))
  if (first === 'protocol' || first === 'log') return [`packages/${first}/src/${rest.join('/')}`]
  if (first === 'dialects') return [`packages/protocol/src/dialects/${rest.join('/')}`]
  return [gateway + name]
}

function sectionOf(page: string, title: string): string {
  return page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? ''
}
