import { once } from 'node:events'
import type { Terminal } from './io.ts'

/** Text gathered into large writes, which wait when the reader is slow. */
export interface Output {
  write(text: string): void
  /** Resolves when what was written may grow again. */
  flush(): Promise<void>
}

export function createOutput(stream: Terminal): Output {
  let batch = ''
  let failure: unknown
  stream.on('error', (error) => {
    failure = error
  })
  return {
    write(text) {
      batch += text
    },
    async flush() {
      if (failure !== undefined) throw failure
      if (batch === '') return
      const text = batch
      batch = ''
      if (!stream.write(text)) await once(stream, 'drain')
      if (failure !== undefined) throw failure
    },
  }
}
