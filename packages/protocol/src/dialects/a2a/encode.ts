import { createA2aEncoder } from '../../a2a/encode.ts'
import { validateA2a } from './read.ts'
import { writeA2a } from './write.ts'

export const a2aEncoder = createA2aEncoder({
  dialects: ['a2a', 'a2a-v1'],
  hasLooseMessages: true,
  write: writeA2a,
  isValid: (value) => validateA2a(value).length === 0,
})
