import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram } from '../client/find-program.ts'

/** The path of nginx; if it is missing, undefined, after a warning that says how to get it. */
export function findNginx(): string | undefined {
  return findProgram(['nginx'], 'apt install nginx-light')
}

export interface Nginx {
  readonly url: string
  readonly port: number
  stop(): Promise<void>
}

/** Runs nginx in front of a server, with `proxy_pass` and otherwise default settings. */
export async function startNginx(program: string, upstream: string): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-nginx-'))
  for (const name of ['logs', 'temp']) mkdirSync(join(folder, name))
  const port = await findFreePort()
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `  ${name}_temp_path ${folder}/temp/${name};`)
    .join('\n')
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/logs/error.log;
worker_processes 1;
events { worker_connections 64; }
http {
  access_log off;
${places}
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass ${upstream}; }
  }
}
`,
  )
  const child = spawn(
    program,
    ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'logs', 'start.log')],
    {
      stdio: 'ignore',
    },
  )
  const exited = once(child, 'exit')
  while (!(await isListening(port))) if (child.exitCode !== null) throw new Error('nginx did not start')
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async stop() {
      child.kill('SIGTERM')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    // Refused immediately: without a turn of the timers this would be a busy loop.
    await new Promise((resolve) => setTimeout(resolve, 10))
    return false
  } finally {
    socket.destroy()
  }
}
