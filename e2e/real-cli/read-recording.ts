import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isJsonObject, type JsonObject, type JsonValue } from '@sluice/protocol'

/** What a program printed in one run. */
export interface Recording {
  /** Such as `codex-0.166.0/text`. */
  readonly name: string
  readonly cli: string
  readonly scenario: string
  /** The lines of its standard output; a line that is not JSON is a string. */
  readonly printed: readonly JsonValue[]
  readonly exitCode: number | null
}

const folder = new URL('./recordings/', import.meta.url)

/** The recordings that the tests of the real programs wrote; see README.md. */
export function readRecordings(): readonly Recording[] {
  return readdirSync(fileURLToPath(folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ndjson'))
    .sort()
    .map(readRecording)
}

function readRecording(path: string): Recording {
  const lines = readFileSync(new URL(path, folder), 'utf8').trimEnd().split('\n')
  const entries = lines.map((line) => JSON.parse(line) as JsonObject) // our recorder wrote it
  const [head] = entries
  const exit = entries.find((entry) => 'exit' in entry)?.['exit']
  return {
    name: path.replace(/\.ndjson$/, ''),
    cli: String(head?.['cli']),
    scenario: String(head?.['scenario']),
    printed: entries.flatMap(({ out }) => (out === undefined ? [] : [out])),
    exitCode: isJsonObject(exit) && typeof exit['code'] === 'number' ? exit['code'] : null,
  }
}
