import { readdirSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { CheckedRequest } from '../request/checked-request.ts'

/** A longer name is cut by Claude Code, and something is put behind it. */
const maxFolderName = 200

/** Whether Claude Code has a session of this directory: a transcript in the folder that it keeps for it. */
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
