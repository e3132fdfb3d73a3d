import { createA2aEncoder } from '../../a2a/encode.ts'
import { validateA2aV1 } from './read.ts'
import { writeA2aV1 } from './write.ts'

export const a2aV1Encoder = createA2aEncoder({
  dialects: ['a2a-v1', 'a2a'],
  hasLooseMessages: false,
  write: writeA2aV1,
  isValid: (value) => validateA2aV1(value).length === 0,
})
