import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureLocalKey } from '@sluice/gateway/admin'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type GatewayFile, writeGatewayFile } from '../gateway-file.ts'
import { hasPty, openPty, type Pty } from '../listen/testing/pty.ts'
import { commandNames } from '../main.ts'
import { callSluice } from '../testing/call-sluice.ts'
import { type Run, repository, startSluice } from '../testing/run-sluice.ts'
import { readUntil } from '../testing/start-gateway.ts'

/** For each command that reads the configuration or data of a folder, a call that does so. */
const readers: Readonly<Record<string, readonly string[]>> = {
  serve: ['serve', '--port', '0'],
  publish: ['publish', 'sess_a'],
  tail: ['tail', 'sess_a'],
  run: ['run', 'evil', 'go'],
  agents: ['agents'],
  doctor: ['doctor'],
  listen: ['listen', 'sess_a'],
  aaep: ['aaep', '--stdio'],
  sessions: ['sessions'],
  log: ['log', 'stat'],
  token: ['token', 'create', '--subject', 'a', '--grant', 'run:*'],
  console: ['console'],
  key: ['key', 'create'],
}
const others = ['convert', 'validate', 'conformance', 'schema', 'dialects']

let root = ''
let folder = ''
let server: Server
let asked: IncomingMessage[] = []
const terminals: Pty[] = []

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'sluice-trust-'))
  folder = join(root, 'clone')
  mkdirSync(folder)
  asked = []
  server = createServer((request, response) => {
    asked.push(request)
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  for (const pty of terminals.splice(0)) pty.close()
  server.close()
  rmSync(root, { recursive: true, force: true })
})

const marker = (): string => join(root, 'marker')
const secret = 'slk_secret_of_another_gateway'
const env = (): Readonly<Record<string, string>> => ({
  HOME: root,
  XDG_CONFIG_HOME: join(root, 'config'),
  XDG_STATE_HOME: join(root, 'state'),
  SLUICE_TOKEN: secret,
})
const call = (args: readonly string[]): Promise<Run> => callSluice(args, '', { cwd: folder, env: env() })

function bringConfig(command: readonly string[] = ['touch', marker()]): void {
  const agents = { evil: { type: 'acp', command } }
  writeFileSync(join(folder, 'sluice.config.json'), JSON.stringify({ agents }))
}

/** What somebody else's archive may contain: an address, and a key that they know. */
async function bringData(): Promise<void> {
  const data = join(folder, '.sluice')
  mkdirSync(data, { mode: 0o700 })
  await writeGatewayFile(data, otherGateway(), ensureLocalKey(data))
}

/** Somebody else's server, which records the requests to it. */
function otherGateway(): GatewayFile {
  const { port } = server.address() as AddressInfo // it listens on a port
  return { url: `http://127.0.0.1:${port}`, pid: process.pid, startedAt: 1, tls: false }
}

describe('a folder of somebody else', () => {
  test('every command is known here', () => {
    expect([...Object.keys(readers), ...others].sort()).toEqual([...commandNames].sort())
  })

  test.each(Object.entries(readers))('%s runs nothing that its configuration names', async (_, args) => {
    bringConfig()
    const { code, stdout, stderr } = await call(args)
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' })
    expect(stderr).toContain(`agent evil runs touch ${marker()}`)
    expect(stderr).toContain('--trust')
    expect(existsSync(marker())).toBe(false)
    expect(existsSync(join(root, 'state'))).toBe(false)
  })

  test.each(Object.entries(readers).filter(([name]) => name !== 'serve'))(
    '%s sends nothing to the address that its data names, and takes no key from it',
    async (_, args) => {
      await bringData()
      const { code, stdout, stderr } = await call(args)
      expect({ code, stdout }).toEqual({ code: 6, stdout: '' })
      expect(stderr).toContain('the data directory .sluice')
      expect(asked).toEqual([])
      expect(existsSync(join(root, 'config'))).toBe(false)
    },
  )

  test.each(['publish', 'tail', 'agents', 'sessions'])(
    '%s --trust talks to that address without the token of another gateway',
    async (name) => {
      await bringData()
      const args = [...(readers[name] ?? []), '--trust']
      const { stderr } = await callSluice(args, '{}\n', { cwd: folder, env: env() })
      expect(asked.length).toBeGreaterThan(0)
      for (const { headers, url } of asked) expect(JSON.stringify([headers, url])).not.toContain(secret)
      expect(stderr).toContain('SLUICE_TOKEN is not sent')
    },
  )
})

describe('a folder that is trusted', () => {
  test('--trust is remembered for this configuration and no other, in a file of the user alone', async () => {
    bringConfig(['no-such-program'])
    expect((await call(['doctor', '--trust'])).code).toBe(0)
    expect((await call(['doctor'])).code).toBe(0)
    const file = join(root, 'config', 'sluice', 'trusted-folders.json')
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).not.toContain('no-such-program')
    bringConfig()
    const changed = await call(['doctor'])
    expect(changed.code).toBe(6)
    expect(existsSync(marker())).toBe(false)
  })

  test('a configuration that is named is trusted', async () => {
    bringConfig(['no-such-program'])
    const { code, stdout } = await call(['doctor', '--config', 'sluice.config.json'])
    expect(code).toBe(0)
    expect(stdout).toContain('agent evil')
  })

  test('a gateway of the user makes .sluice theirs, until somebody else puts another one there', async () => {
    const child = startSluice(['serve', '--data', '.sluice', '--port', '0', '--log-level', 'warn'], {
      cwd: folder,
      env: env(),
    })
    try {
      await readUntil(child.stdout, /npx sluice sessions\n/)
      expect((await call(['sessions'])).code).toBe(0)
      writeFileSync(join(folder, '.sluice', 'local.key'), 'slk_local_theirs\n')
      expect((await call(['sessions'])).code).toBe(6)
    } finally {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  })

  test('an address that somebody else puts into it later gets nothing, and no local key', async () => {
    const child = startSluice(['serve', '--data', '.sluice', '--port', '0', '--log-level', 'warn'], {
      cwd: folder,
      env: env(),
    })
    await readUntil(child.stdout, /npx sluice sessions\n/)
    child.kill('SIGTERM')
    await once(child, 'exit')
    const file = join(folder, '.sluice', 'gateway.json')
    for (const planted of [otherGateway(), { ...otherGateway(), mac: 'x'.repeat(43) }]) {
      writeFileSync(file, JSON.stringify(planted), { mode: 0o600 })
      for (const name of ['publish', 'tail', 'agents', 'sessions', 'listen', 'aaep', 'console']) {
        const { code, stdout, stderr } = await call(readers[name] ?? [])
        expect({ name, code, stdout }).toEqual({ name, code: 5, stdout: '' })
        expect(stderr).toContain('gateway.json')
      }
    }
    expect(asked).toEqual([])
  })
})

describe.skipIf(!hasPty())('at a terminal', () => {
  const open = (args: readonly string[]): Pty => {
    const pty = openPty(args, { ...env(), TERM: 'dumb' }, folder)
    terminals.push(pty)
    return pty
  }

  test('the user is told what a folder would do, and is asked once', async () => {
    bringConfig(['no-such-program'])
    const first = open(['doctor'])
    await first.until('agent evil runs no-such-program')
    await first.until('type yes and press Enter')
    first.press('yes\r')
    await first.until('agent evil')
    expect(await first.exited()).toBe(0)
    const second = open(['doctor'])
    expect(await second.exited()).toBe(0)
    expect(second.screen()).not.toContain('type yes')
  })

  test('whoever does not say yes uses nothing of it', async () => {
    bringConfig()
    const pty = open(['doctor'])
    await pty.until('type yes and press Enter')
    pty.press('\r')
    await pty.until('Nothing of this folder was used')
    expect(await pty.exited()).toBe(6)
    expect(existsSync(marker())).toBe(false)
    expect((await call(['doctor'])).code).toBe(6)
  })
})

test('the repository itself brings no configuration, so that npm start asks nothing', () => {
  expect(existsSync(join(repository, 'sluice.config.json'))).toBe(false)
})
