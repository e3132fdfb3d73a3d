import { createHmac, timingSafeEqual } from 'node:crypto'
import { rmSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readOwnFile } from './trust/own-file.ts'

/** How to reach the gateway that runs on a data directory. */
export interface GatewayFile {
  readonly url: string
  readonly pid: number
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly tls: boolean
}

/** The file as it was read. Its seal shows who wrote it; empty if it has none. */
export interface SealedGatewayFile extends GatewayFile {
  readonly mac: string
}

const fileName = 'gateway.json'

/**
 * Publishes the address of this directory's gateway in a file that only its user may read. The local key
 * seals the file, so that a file from somebody else cannot redirect that key to another address.
 */
export async function writeGatewayFile(
  directory: string,
  content: GatewayFile,
  localKey: string,
): Promise<void> {
  const path = join(directory, fileName)
  const part = `${path}.${content.pid}.part`
  await rm(part, { force: true })
  await writeFile(part, `${JSON.stringify({ ...content, mac: toMac(content, localKey) })}\n`, {
    mode: 0o600,
    flag: 'wx',
  })
  await rename(part, path)
}

/**
 * The running gateway of a directory; undefined when there is none, even when one crashed and left its file.
 * Throws `bad_config` when somebody else may have written the file. Check isSealedWith() before sending a
 * secret there.
 */
export async function readGatewayFile(directory: string): Promise<SealedGatewayFile | undefined> {
  const text = await readOwnFile(join(directory, fileName), 'write')
  const content = text === undefined ? undefined : parse(text)
  return content !== undefined && isAlive(content.pid) ? content : undefined
}

/** Whether a gateway that holds this key wrote the file, and nobody changed it. */
export function isSealedWith(localKey: string, file: SealedGatewayFile): boolean {
  const [given, expected] = [Buffer.from(file.mac), Buffer.from(toMac(file, localKey))]
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function toMac({ url, pid, startedAt, tls }: GatewayFile, localKey: string): string {
  const sealed = JSON.stringify(['sluice gateway.json', url, pid, startedAt, tls])
  return createHmac('sha256', localKey).update(sealed).digest('base64url')
}

/** Synchronous, so that it works while the process exits. */
export function removeGatewayFile(directory: string): void {
  rmSync(join(directory, fileName), { force: true })
}

function parse(text: string): SealedGatewayFile | undefined {
  try {
    const { url, pid, startedAt, tls, mac } = JSON.parse(text) as Record<string, unknown> // checked field by field below
    return isAddress(url) &&
      typeof pid === 'number' &&
      typeof startedAt === 'number' &&
      typeof tls === 'boolean'
      ? { url, pid, startedAt, tls, mac: typeof mac === 'string' ? mac : '' }
      : undefined
  } catch {
    return undefined
  }
}

function isAddress(url: unknown): url is string {
  return typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process is alive but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
