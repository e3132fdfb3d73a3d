import { testCliAgent } from '../testing/test-cli-agent.ts'
import { aider } from './index.ts'

testCliAgent({
  agent: aider,
  script: {
    init: ['Aider v0.86.1', 'Model: gpt-4o with whole edit format', '', '> . . ', ''],
    text: (pieces) => [pieces.join(''), '', 'Tokens: 2.4k sent, 12 received.'],
    retryable: ['litellm.RateLimitError: RateLimitError: no', 'Retrying in 0.2 seconds...'],
    success: [],
    disguised: {
      lines: ['litellm.AuthenticationError: AuthenticationError: wrong key', 'Check your API key.'],
      message: 'aider backend error: not authenticated',
    },
  },
})
