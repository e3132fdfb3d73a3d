import { spawn } from 'node:child_process'

/**
 * Runs a program without stdin and gathers its output. Resolves to the exit code and the output; never
 * rejects: a program that cannot be started has code 127, one ended by a signal 128. Signals to this process
 * are passed on.
 */
export function runQuietly(command, args, { onStart = () => {}, ...options } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
    const chunks = []
    const forward = (signal) => child.kill(signal)
    const finish = (code, note = '') => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, forward)
      resolve({ code, output: Buffer.concat(chunks).toString('utf8') + note })
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward)
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.stderr.on('data', (chunk) => chunks.push(chunk))
    child.on('error', (error) => finish(127, `${error.message}\n`))
    child.on('close', (code, signal) => finish(code ?? 128, signal ? `ended by ${signal}\n` : ''))
    if (child.pid !== undefined) onStart(child.pid)
  })
}
