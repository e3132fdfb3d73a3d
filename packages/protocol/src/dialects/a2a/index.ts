import { identifyA2a } from '../../a2a/identify.ts'
import type { A2aSequence } from '../../a2a/reading.ts'
import { a2aSupports } from '../../a2a/supports.ts'
import type { A2aView } from '../../a2a/view.ts'
import type { Dialect } from '../../dialect.ts'
import { a2aDecoder } from './decode.ts'
import { a2aEncoder } from './encode.ts'
import { recognizesA2a, validateA2a } from './read.ts'
import { a2aRules } from './sequence.ts'
import { artifactUpdateSchema, messageSchema, statusUpdateSchema, taskSchema } from './wire.ts'

/** A2A 0.3 with the stream_delta profile. */
export const a2a: Dialect<A2aSequence, A2aView> = {
  id: 'a2a',
  title: 'A2A 0.3',
  supports: a2aSupports,
  rules: Object.values(a2aRules),
  schemas: {
    task: taskSchema,
    message: messageSchema,
    'status-update': statusUpdateSchema,
    'artifact-update': artifactUpdateSchema,
  },
  recognizes: recognizesA2a,
  identify: identifyA2a,
  validate: validateA2a,
  decode: a2aDecoder,
  encode: a2aEncoder,
}
