import { readdir, readFile } from 'node:fs/promises'

/** The environment variable that marks the processes of a run, wherever they go. */
export const markerVariable = 'SLUICE_RUN'

/** The processes that were started with this mark, on Linux; empty if the system does not list them. */
export async function markedProcesses(marker: string): Promise<readonly number[]> {
  const names = await readdir('/proc').catch(() => [])
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number)
  const marked = await Promise.all(pids.map((pid) => isMarked(pid, marker)))
  return pids.filter((_, index) => marked[index])
}

/** Whether a process carries the mark. A zombie no longer has an environment. */
async function isMarked(pid: number, marker: string): Promise<boolean> {
  // The environments of other users' processes cannot be read.
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
  return environment.includes(marker) && environment.split('\0').includes(`${markerVariable}=${marker}`)
}
