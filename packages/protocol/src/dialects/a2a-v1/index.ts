import { identifyA2a } from '../../a2a/identify.ts'
import type { A2aSequence } from '../../a2a/reading.ts'
import { a2aSupports } from '../../a2a/supports.ts'
import type { A2aView } from '../../a2a/view.ts'
import type { Dialect } from '../../dialect.ts'
import { a2aV1Decoder } from './decode.ts'
import { a2aV1Encoder } from './encode.ts'
import { recognizesA2aV1, validateA2aV1 } from './read.ts'
import { a2aV1Rules } from './sequence.ts'
import {
  artifactUpdateSchema,
  messageSchema,
  statusUpdateSchema,
  streamResponseSchema,
  taskSchema,
} from './wire.ts'

/** A2A 1.0 with the stream_delta profile. */
export const a2aV1: Dialect<A2aSequence, A2aView> = {
  id: 'a2a-v1',
  title: 'A2A 1.0',
  supports: a2aSupports,
  rules: Object.values(a2aV1Rules),
  schemas: {
    'stream-response': streamResponseSchema,
    task: taskSchema,
    message: messageSchema,
    'status-update': statusUpdateSchema,
    'artifact-update': artifactUpdateSchema,
  },
  recognizes: recognizesA2aV1,
  identify: identifyA2a,
  validate: validateA2aV1,
  decode: a2aV1Decoder,
  encode: a2aV1Encoder,
}
