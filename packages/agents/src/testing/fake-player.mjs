// Plays the steps of a fake program: see fake-program.ts.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync, renameSync, watch, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export async function play(folder) {
  const steps = JSON.parse(readFileSync(join(folder, 'steps.json'), 'utf8'))
  const input = listen(folder)
  let line = {}
  for (const step of steps) {
    if ('print' in step) await write(toLine(step.print))
    else if ('bytes' in step) await write(Buffer.from(step.bytes, step.encoding ?? 'utf8'))
    else if ('complain' in step) writeSync(2, step.complain)
    else if ('awaitEnd' in step) await input.ended
    else if ('awaitLine' in step) line = await input.line(step.awaitLine)
    else if ('printFrom' in step) await write(toLine(fill(step.printFrom, line)))
    else if ('hang' in step) await hang()
    else if ('ignore' in step) process.on(step.ignore, () => {})
    else if ('grandchild' in step) await startGrandchild(step.grandchild)
    else if ('escape' in step) writeFileSync(join(folder, step.escape), String(await startEscaped()))
    else if ('awaitFile' in step) await file(join(folder, step.awaitFile))
    else if ('raise' in step) process.kill(process.pid, step.raise)
    else if ('exit' in step) {
      input.note()
      process.exit(step.exit)
    }
  }
  input.note()
  process.exit(0)
}

function toLine(value) {
  return `${typeof value === 'string' ? value : JSON.stringify(value)}\n`
}

function write(data) {
  return new Promise((resolve) => process.stdout.write(data, resolve))
}

/** A timer keeps the process alive until something ends it. */
function hang() {
  return new Promise(() => setInterval(() => {}, 60_000))
}

function listen(folder) {
  const lines = []
  const waiting = []
  let stdin = ''
  let isStdinClosed = false
  const part = join(folder, `call-${process.pid}.part`)
  const note = () => {
    const record = {
      args: process.argv.slice(2),
      cwd: process.cwd(),
      env: process.env,
      pid: process.pid,
      stdin,
      isStdinClosed,
    }
    writeFileSync(part, JSON.stringify(record))
    renameSync(part, join(folder, 'call.json'))
  }
  note()
  const look = () => {
    for (const waiter of [...waiting]) {
      const index = lines.findIndex((text) => text.includes(waiter.part))
      if (index < 0) continue
      waiting.splice(waiting.indexOf(waiter), 1)
      waiter.resolve(parse(lines.splice(index, 1)[0]))
    }
  }
  const ended = new Promise((resolve) => {
    process.stdin.setEncoding('utf8')
    process.stdin.on('data', (text) => {
      const rest = stdin.slice(stdin.lastIndexOf('\n') + 1) + text
      stdin += text
      lines.push(...rest.split('\n').slice(0, -1))
      note()
      look()
    })
    process.stdin.on('end', () => {
      isStdinClosed = true
      note()
      resolve()
    })
  })
  return {
    note,
    ended,
    line: (part) =>
      new Promise((resolve) => {
        waiting.push({ part, resolve })
        look()
      }),
  }
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function fill(value, line) {
  if (typeof value === 'string' && value.startsWith('$LINE'))
    return value
      .split('.')
      .slice(1)
      .reduce((found, key) => found?.[key], line)
  if (Array.isArray(value)) return value.map((member) => fill(member, line))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fill(member, line)]))
}

function startGrandchild(kind) {
  const stdio = kind === 'holds-pipe' ? ['ignore', 'inherit', 'inherit'] : 'ignore'
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60000)'], { stdio })
  child.unref()
  return new Promise((resolve) => child.once('spawn', resolve))
}

async function startEscaped() {
  const stdio = ['ignore', 'inherit', 'inherit']
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60000)'], {
    stdio,
    detached: true,
    env: {},
  })
  child.unref()
  await new Promise((resolve) => child.once('spawn', resolve))
  return child.pid
}

function file(path) {
  return new Promise((resolve) => {
    const watcher = watch(join(path, '..'), look)
    function look() {
      if (!existsSync(path)) return
      watcher.close()
      resolve()
    }
    look()
  })
}
