import { createA2aDecoder } from '../../a2a/decode.ts'
import { readA2a, readA2aChunk } from './read.ts'
import { checkA2a } from './sequence.ts'

export const a2aDecoder = createA2aDecoder({
  id: 'a2a',
  readChunk: readA2aChunk,
  read: readA2a,
  hasOwnFlags: ({ append, lastChunk }) => append !== undefined && lastChunk === false,
  check: checkA2a,
})
