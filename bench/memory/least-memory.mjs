const sampleMs = 500

/** Heap and buffers once they have not shrunk for three samples. */
export async function leastMemory(server) {
  let least = Number.POSITIVE_INFINITY
  for (let unchanged = 0; unchanged < 3; unchanged++) {
    const { heapBytes } = await server.ask('memory')
    if (heapBytes < least * 0.999) unchanged = -1
    least = Math.min(least, heapBytes)
    await new Promise((resolve) => setTimeout(resolve, sampleMs))
  }
  return least
}
