import { hashHex } from '../../session-id.ts'
import { exceedsUtf8 } from './bounds.ts'

const maxNameBytes = 1024

/** Whether a name leaves room for the rest of the data around it. */
export function isShortName(name: string): boolean {
  return !exceedsUtf8(name, maxNameBytes)
}

/** An output's name in data. */
export function toOutputName(output: string): string {
  return isShortName(output) ? output.toWellFormed() : `output_${hashHex(output, 32)}`
}

/** A call's id in the tools facet. */
export function toCallId(call: string): string {
  return isShortName(call) ? call.toWellFormed() : `call_${hashHex(call, 32)}`
}
