import { readdir, readFile } from 'node:fs/promises'

/** The variable that tells a process of a run from others, wherever it has gone. */
export const markerVariable = 'SLUICE_RUN'

/** The processes that were started with this mark, on Linux; none where the system does not tell. */
export async function markedProcesses(marker: string): Promise<readonly number[]> {
  const names = await readdir('/proc').catch(() => [])
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number)
  const marked = await Promise.all(pids.map((pid) => isMarked(pid, marker)))
  return pids.filter((_, index) => marked[index])
}

/** A process that is dead and waits for its parent to notice has no variables any more. */
async function isMarked(pid: number, marker: string): Promise<boolean> {
  // Those of other people cannot be read.
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
  return environment.includes(marker) && environment.split('\0').includes(`${markerVariable}=${marker}`)
}
