import type { Terminal } from './io.ts'

/** Text gathered into large writes, which wait when the reader is slow. */
export interface Output {
  write(text: string): void
  /** Writes the gathered text. Resolves when the reader has room for more. */
  flush(): Promise<void>
}

/** Rejects when the reader goes away instead. */
function drained(stream: Terminal): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.on('error', reject)
    stream.once('drain', () => {
      stream.off('error', reject)
      resolve()
    })
  })
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
      if (!stream.write(text)) await drained(stream)
      if (failure !== undefined) throw failure
    },
  }
}
