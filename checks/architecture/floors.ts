import { importsOf, isRelative, targetOf } from './imports.ts'
import { isTest, type Source } from './source.ts'

const HOME = 'packages/gateway/src/'

/** The folders of the gateway, from the ground up: a folder imports only from floors below its own. */
const FLOORS: Readonly<Record<string, number>> = {
  config: 0,
  ops: 0,
  access: 1,
  kernel: 2,
  features: 3,
  faces: 4,
}

/** Parts of a floor that its other parts may import. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  // An upstream is an AAEP producer.
  features: ['aaep'],
  // HTTP plumbing, what all faces talk to, and their description.
  faces: ['http', 'backend.ts', 'openapi'],
}

/** Imports of the gateway that lead to a higher floor, or to a neighbour on the same one. */
export function strayFloors({ path, text }: Source): readonly string[] {
  if (!path.startsWith(HOME) || isTest(path) || path.startsWith(`${HOME}testing/`)) return []
  const from = placeOf(path)
  if (from === undefined) return []
  return importsOf(text).flatMap(({ specifier }) => {
    if (!isRelative(specifier)) return []
    const target = targetOf(path, specifier)
    const to = placeOf(target)
    if (to === undefined) return [`${path}: ${target} is above every floor`]
    if (to.floor !== from.floor)
      return height(to.floor) < height(from.floor) ? [] : [`${path}: ${to.floor} is not below ${from.floor}`]
    return isNeighbour(from, to) ? [`${path}: ${from.part} must not import ${to.part}`] : []
  })
}

interface Place {
  readonly floor: string
  readonly part: string
}

function placeOf(path: string): Place | undefined {
  const [floor = '', part = ''] = path.slice(HOME.length).split('/')
  return FLOORS[floor] === undefined ? undefined : { floor, part }
}

function height(floor: string): number {
  return FLOORS[floor] ?? Number.POSITIVE_INFINITY
}

/** Files directly on a floor put its parts together and may import all of them. */
function isNeighbour(from: Place, to: Place): boolean {
  const shared = SHARED[from.floor]
  if (shared === undefined || from.part === to.part || from.part.endsWith('.ts')) return false
  return !shared.includes(to.part)
}
