import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CliHome, type CliName, cliHomeFolders } from './cli-home.ts'
import { pinned } from './install-cli.ts'

const teeFile = fileURLToPath(new URL('./tee.mjs', import.meta.url))
const recordings = fileURLToPath(new URL('./recordings', import.meta.url))

/** Whether these tests replace the recordings. */
export const isRecording = process.env['SLUICE_RECORD'] === '1'

/** Records what a program prints and reads. */
export interface Recorder {
  /** Runs in place of the program. */
  readonly program: string
  /**
   * Writes what was recorded since the last call to `recordings/<cli>-<version>/<scenario>.ndjson`, without
   * paths and ports of this machine.
   */
  save(scenario: string): void
}

export function createRecorder(cli: CliName, { program, home, modelUrl }: RecordedProgram): Recorder {
  const file = join(home.folder, 'tee.ndjson')
  const launcher = join(home.folder, cli)
  const call = [program, file].map((argument) => JSON.stringify(argument)).join(', ')
  writeFileSync(
    launcher,
    `#!${process.execPath}\nimport(${JSON.stringify(teeFile)}).then(({ tee }) => tee(${call}))\n`,
  )
  chmodSync(launcher, 0o755)
  const { version } = pinned(cli)
  return {
    program: launcher,
    save(scenario) {
      if (!existsSync(file)) return
      const head = JSON.stringify({ cli, version, scenario })
      // The arguments are recorded first.
      const text = readFileSync(file, 'utf8').replace('{', `${head.slice(0, -1)},`)
      const target = join(recordings, `${cli}-${version}`, `${scenario}.ndjson`)
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, withoutPlaces(text, { program, home, modelUrl }))
      rmSync(file)
    },
  }
}

/** A program, and the places of this machine that its recordings must not name. */
interface RecordedProgram {
  readonly program: string
  readonly home: CliHome
  readonly modelUrl: string
}

function withoutPlaces(text: string, { program, home, modelUrl }: RecordedProgram): string {
  const [cache] = program.split('/node_modules/')
  const places = [
    ...cliHomeFolders(home).map(([path, name]) => [path, name] as const),
    [home.folder, '/tmp'] as const,
    [cache ?? program, '/cache'] as const,
    [modelUrl, 'http://127.0.0.1:4000'] as const,
  ]
  return places.reduce(
    (changed, [path, name]) =>
      changed
        .replaceAll(path, name)
        .replaceAll(encodeURIComponent(path), encodeURIComponent(name))
        // Claude Code names folders in this way.
        .replaceAll(path.replaceAll('/', '-'), name.replaceAll('/', '-')),
    text,
  )
}
