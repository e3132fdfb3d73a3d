import { dialects } from '@sluice/protocol/dialects'
import { createEntries } from './session.mjs'
import { countFaults, createDecodeWork, createTranscodeWork, encodeEntries } from './work.mjs'

const textSizes = [64, 2048]

/** Everything to measure, for each size of text: each dialect read, and each ordered pair of dialects. */
export function createRows() {
  return textSizes.flatMap((textBytes) => {
    const entries = createEntries(textBytes)
    return dialects.flatMap((from) => {
      const texts = encodeEntries(from, entries)
      const shared = { textBytes, from: from.id, inputCount: texts.length, inputBytes: meanBytesOf(texts) }
      const reading = {
        name: `${from.id} ${textBytes}`,
        ...shared,
        faults: countFaults(from, texts),
        ...createDecodeWork(from, texts),
      }
      const pairs = dialects.map((to) => ({
        name: `${from.id} ${to.id} ${textBytes}`,
        ...shared,
        to: to.id,
        ...createTranscodeWork(from, to, texts),
      }))
      return [reading, ...pairs]
    })
  })
}

function meanBytesOf(texts) {
  return Math.round(Buffer.byteLength(texts.join('')) / texts.length)
}
