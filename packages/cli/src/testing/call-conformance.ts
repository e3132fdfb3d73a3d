import { Readable } from 'node:stream'
import type { Clock } from '@sluice/protocol'
import { parseCommandArgs } from '../command.ts'
import { createConformanceCommand } from '../commands/conformance.ts'
import { guardIo } from '../guard-terminal.ts'
import { createCollector } from './call-sluice.ts'
import type { Run } from './run-sluice.ts'

/** Runs `sluice conformance` in this process, on this clock. */
export async function callConformance(args: readonly string[], clock: Clock): Promise<Run> {
  const stdout = createCollector()
  const stderr = createCollector()
  const command = createConformanceCommand(clock)
  const io = guardIo({ stdin: Readable.from([]), stdout: stdout.stream, stderr: stderr.stream, env: {} })
  const code = await command.run(parseCommandArgs(command, args), io)
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}
