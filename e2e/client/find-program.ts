import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of the first of these programs, or undefined; with SLUICE_REQUIRE=all it throws instead. */
export function findProgram(names: readonly string[], howToGetIt: string): string | undefined {
  // Debian leaves /usr/sbin, where nginx is, out of the PATH of users.
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  for (const name of names)
    for (const folder of folders) if (isExecutable(join(folder, name))) return join(folder, name)
  const message = `${names[0]} is missing: ${howToGetIt}`
  if (process.env['SLUICE_REQUIRE'] === 'all') throw new Error(message)
  console.warn(`skipped: ${message}`)
  return undefined
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
