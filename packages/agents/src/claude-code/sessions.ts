import { readdirSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { CheckedRequest } from '../request/checked-request.ts'

/** Claude Code cuts longer names and appends something to them. */
const maxFolderName = 200

/** Whether Claude Code has a session for this directory: a transcript in its folder for the directory. */
export function hasSession({ cwd, env }: Pick<CheckedRequest, 'cwd' | 'env'>): boolean {
  const config = env['CLAUDE_CONFIG_DIR'] ?? join(env['HOME'] ?? homedir(), '.claude')
  const projects = join(config, 'projects')
  const name = toFolderName(cwd)
  const isCut = name.length > maxFolderName
  const folders = isCut
    ? list(projects).filter((folder) => folder.startsWith(name.slice(0, maxFolderName)))
    : [name]
  return folders.some((folder) => list(join(projects, folder)).some((file) => file.endsWith('.jsonl')))
}

function toFolderName(cwd: string): string {
  return realPath(cwd).replaceAll(/[^a-zA-Z0-9]/g, '-')
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
