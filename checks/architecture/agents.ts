import { isTest } from './source.ts'

/** Each folder in here with an index.ts is one agent. */
const AGENTS = 'packages/agents/src'
const AGENT_FILES = ['native.ts', 'map.ts', 'command.ts']

/** The agent whose folder this index.ts is in. */
export const agentOf = (path: string): string | undefined =>
  /^packages\/agents\/src\/([^/]+)\/index\.ts$/.exec(path)?.[1]

/** What the agents among `paths` lack: all have the same file names. */
export function incompleteAgents(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    const id = agentOf(path)
    if (id === undefined) return []
    const folder = `${AGENTS}/${id}/`
    const files = paths.filter((each) => each.startsWith(folder)).map((each) => each.slice(folder.length))
    return [
      ...AGENT_FILES.filter((name) => !files.includes(name)),
      ...(files.some(isTest) ? [] : ['a test']),
      ...(files.some((file) => file.startsWith('fixtures/')) ? [] : ['fixtures/']),
    ].map((missing) => `${folder}: ${missing} is missing`)
  })
}
