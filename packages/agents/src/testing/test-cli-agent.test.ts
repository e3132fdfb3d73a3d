import { plainAgent, plainScript } from './plain-agent.ts'
import { testCliAgent } from './test-cli-agent.ts'

testCliAgent({ agent: plainAgent, script: plainScript })
