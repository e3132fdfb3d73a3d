import { testHotPath } from '../../testing/test-hot-path.ts'
import { streamEvent } from './index.ts'

testHotPath(streamEvent)
