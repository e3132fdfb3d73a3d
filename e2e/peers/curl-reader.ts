import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { SeenFrame, StockReader } from './stock-reader.ts'

/** `curl -N` in a loop that sends the last id, as a shell script would, until nothing is left (204). */
export function openCurl(
  url: string,
  options: readonly string[] = [],
): StockReader & { readonly exits: readonly (number | null)[] } {
  const frames: SeenFrame[] = []
  const exits: (number | null)[] = []
  let lastId: string | undefined
  let outcome: string | undefined
  let isClosed = false
  let stop = (): void => {}

  const take = (event: string): void => {
    const fields = Object.fromEntries(event.split('\n').map((line) => line.split(/: (.*)/s, 2)))
    const { id, data, event: name } = fields as Record<string, string | undefined> // as split just above
    if (id !== undefined) lastId = id
    if (name === 'sluice.end') outcome = (JSON.parse(data ?? '') as { outcome: string }).outcome
    else if (name === undefined && data !== undefined && id !== undefined) frames.push({ id, data })
  }

  const runOnce = async (): Promise<number> => {
    const resumed = lastId === undefined ? [] : ['-H', `Last-Event-ID: ${lastId}`]
    // The text from this mark on is not part of the body.
    const args = [
      '-sN',
      '-w',
      '\nstatus %{http_code}',
      '-H',
      'Accept: text/event-stream',
      ...resumed,
      ...options,
      url,
    ]
    const child = spawn('curl', args, { stdio: ['ignore', 'pipe', 'ignore'] })
    stop = () => child.kill()
    let rest = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const events = (rest + text).split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events) take(event)
    })
    const [code] = (await once(child, 'close')) as [number | null]
    exits.push(code)
    return Number(/status (\d+)$/.exec(rest)?.[1] ?? 0)
  }

  const loop = async (): Promise<number> => {
    for (;;) {
      const status = await runOnce()
      if (isClosed || (status !== 200 && status !== 0)) return status
      await new Promise((resolve) => setTimeout(resolve, 50)) // like `sleep` in the script
    }
  }
  return {
    frames: () => frames,
    outcome: () => outcome,
    exits,
    stopped: loop(),
    close() {
      isClosed = true
      stop()
    },
  }
}
