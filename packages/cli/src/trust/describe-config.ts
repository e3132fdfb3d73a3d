import { isJsonObject, type JsonValue, omitUndefined } from '@sluice/protocol'
import { describeAgent } from './describe-agent.ts'
import { listNames, quote } from './quote.ts'

const maxTold = 20

/** The effects of a configuration, one per line: the programs that it runs, its connections, its settings. */
export function describeConfig(text: string): readonly string[] {
  const config = parse(text)
  if (!isJsonObject(config)) return ['- nothing: it is not a JSON object']
  const { agents, aaep, data, $schema: _, ...rest } = config
  const upstreams = isJsonObject(aaep) && Array.isArray(aaep['upstreams']) ? aaep['upstreams'] : []
  const others = Object.keys({ ...rest, ...omitUndefined({ aaep }) })
  const told = [
    ...tellEach(isJsonObject(agents) ? Object.entries(agents) : [], 'agents', describeAgent),
    ...tellEach(upstreams, 'upstreams', (upstream) => [`follows ${quote(addressOf(upstream))}`]),
    ...(data === undefined ? [] : [`keeps data in ${quote(data)}`]),
    ...(others.length === 0 ? [] : [`sets ${listNames(others)}`]),
  ]
  return told.map((line) => `- ${line}`)
}

/** The lines of the first items, and how many items are left out. */
function tellEach<Item>(
  items: readonly Item[],
  noun: string,
  tell: (item: Item) => readonly string[],
): readonly string[] {
  const leftOut = items.length - maxTold
  return [
    ...items.slice(0, maxTold).flatMap(tell),
    ...(leftOut > 0 ? [`has ${leftOut} more ${noun}, which are not shown: read the file`] : []),
  ]
}

function addressOf(upstream: JsonValue): JsonValue | undefined {
  return isJsonObject(upstream) ? upstream['url'] : upstream
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
