import { rmSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** How to reach the gateway that runs on a data directory. */
export interface GatewayFile {
  readonly url: string
  readonly pid: number
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly tls: boolean
}

const fileName = 'gateway.json'

/** Tells others where the gateway of this directory is. Only its user may read it. */
export async function writeGatewayFile(directory: string, content: GatewayFile): Promise<void> {
  const path = join(directory, fileName)
  const part = `${path}.${content.pid}.part`
  await writeFile(part, `${JSON.stringify(content)}\n`, { mode: 0o600 })
  await rename(part, path)
}

/** The running gateway of a directory; undefined when there is none, also when one ended without a word. */
export async function readGatewayFile(directory: string): Promise<GatewayFile | undefined> {
  const text = await readFile(join(directory, fileName), 'utf8').catch(() => undefined)
  const content = text === undefined ? undefined : parse(text)
  return content !== undefined && isAlive(content.pid) ? content : undefined
}

/** Synchronous, so that it can be done while the process exits. */
export function removeGatewayFile(directory: string): void {
  rmSync(join(directory, fileName), { force: true })
}

function parse(text: string): GatewayFile | undefined {
  try {
    const { url, pid, startedAt, tls } = JSON.parse(text) as Record<string, unknown> // checked field by field below
    return typeof url === 'string' &&
      typeof pid === 'number' &&
      typeof startedAt === 'number' &&
      typeof tls === 'boolean'
      ? { url, pid, startedAt, tls }
      : undefined
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It lives and belongs to someone else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
