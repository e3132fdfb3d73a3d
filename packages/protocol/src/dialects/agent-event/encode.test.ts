import { testHotPath } from '../../testing/test-hot-path.ts'
import { agentEvent } from './index.ts'

testHotPath(agentEvent)
