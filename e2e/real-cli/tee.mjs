// Sits between a run and a program, and records what each sends to the other, as one line of JSON per line.

import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'

/** Runs the program with the arguments of this process, until it ends. */
export function tee(program, file) {
  const note = (entry) => appendFileSync(file, `${JSON.stringify(entry)}\n`)
  note({ args: process.argv.slice(2) })
  const child = spawn(program, process.argv.slice(2), { stdio: 'pipe' })
  // Signals to the group reach the program by themselves.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => note({ signal }))
  child.stdin.on('error', () => {})
  relay(
    process.stdin,
    child.stdin,
    (line) => note({ in: line }),
    () => note({ in: null }),
  )
  relay(child.stdout, process.stdout, (line) => note({ out: line }))
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
    process.stderr.write(chunk)
  })
  child.on('close', (code, signal) => {
    if (errors !== '') note({ err: errors })
    note({ exit: { code, signal } })
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

function relay(from, to, onLine, onEnd = () => {}) {
  let rest = ''
  from.setEncoding('utf8').on('data', (text) => {
    to.write(text)
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    for (const line of lines) onLine(parse(line))
  })
  from.on('end', () => {
    if (rest !== '') onLine(parse(rest))
    onEnd()
    to.end()
  })
}

function parse(line) {
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}
