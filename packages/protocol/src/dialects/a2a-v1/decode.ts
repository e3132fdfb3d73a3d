import { createA2aDecoder } from '../../a2a/decode.ts'
import { readA2aV1, readA2aV1Chunk } from './read.ts'
import { checkA2aV1 } from './sequence.ts'

export const a2aV1Decoder = createA2aDecoder({
  id: 'a2a-v1',
  readChunk: readA2aV1Chunk,
  read: readA2aV1,
  hasOwnFlags: ({ append, lastChunk }) => append !== false && lastChunk === undefined,
  check: checkA2aV1,
})
