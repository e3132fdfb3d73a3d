import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startSluice } from './testing/run-sluice.ts'

const rounds = Number(process.env['SLUICE_ROUNDS'] ?? 1)
const totalBytes = 50_000_000 * Math.min(20, rounds)
const maxResidentBytes = 250_000_000

/** One ordinary session of some 40 KB: a start, two hundred chunks, an end. */
function session(number: number): string {
  const event = (index: number, type: string, fields: object): string =>
    JSON.stringify({
      '@context': 'https://aaep-protocol.org/context/v1',
      type: `aaep:agent.${type}`,
      event_id: `evt_${number}x${index}`,
      session_id: `sess_${number}`,
      timestamp: new Date(1_767_225_600_000 + index).toISOString(),
      producer: { agent_id: 'writer' },
      localization_hints: { primary_language: 'en' },
      ...fields,
    })
  const lines = [event(0, 'session.started', { summary_normal: 'Started.' })]
  let position = 0
  for (let index = 1; index <= 200; index++) {
    const chunk = `Sentence number ${index} of the answer. `
    lines.push(event(index, 'output.streaming', { chunk, position, complete: index === 200 }))
    position += chunk.length
  }
  lines.push(event(201, 'session.completed', { summary_normal: 'Done.' }))
  return `${lines.join('\n')}\n`
}

test.runIf(process.platform === 'linux')(
  'a long recording of ordinary sessions is converted in bounded memory',
  async () => {
    const child = startSluice(['convert', '--from', 'aaep', '--to', 'a2a', '-'])
    let bytesOut = 0
    child.stdout.on('data', (chunk: Buffer) => {
      bytesOut += chunk.length
    })
    const stderr: Buffer[] = []
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
    let peak = 0
    let written = 0
    for (let number = 0; written < totalBytes; number++) {
      const text = session(number)
      written += text.length
      if (!child.stdin.write(text)) await new Promise((resolve) => child.stdin.once('drain', resolve))
      if (number % 100 === 0) peak = residentPeak(child.pid)
    }
    peak = Math.max(peak, residentPeak(child.pid))
    child.stdin.end()
    const code = await new Promise((resolve) => child.on('close', resolve))
    console.log(`converted ${written} bytes into ${bytesOut}, peak resident ${peak} bytes`)
    expect({ code, stderr: Buffer.concat(stderr).toString() }).toEqual({ code: 0, stderr: '' })
    expect(bytesOut).toBeGreaterThan(totalBytes / 2)
    expect(peak).toBeGreaterThan(0)
    expect(peak).toBeLessThan(maxResidentBytes)
  },
)

function residentPeak(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}
