import { createHash } from 'node:crypto'
import type { Agent, RunCompletion, RunHost } from '@sluice/protocol'
import { sessionNotice } from '../cli/session-notice.ts'
import { fullCapabilities } from '../request/capabilities.ts'
import { checkRequest } from '../request/check-request.ts'
import type { CheckedRequest } from '../request/checked-request.ts'
import { resumeKey } from '../request/extension-keys.ts'
import { createRun, type Driven, type RunSink } from '../run/create-run.ts'
import { toPieces } from './pieces.ts'
import { type Play, playStory } from './play-story.ts'
import { readPrompt } from './read-prompt.ts'
import { openStage } from './stage.ts'
import { fixStory, tripStory } from './stories.ts'
import { de } from './words/de.ts'
import { en } from './words/en.ts'

export interface DemoAgentConfig {
  /** Default: no limit. */
  readonly timeoutMs?: number
}

const kind = 'demo'
const model = 'demo-1'
const rules = { kind, extensions: [resumeKey] }

/**
 * A scripted agent for trying things out. Its output depends only on prompt and answers; it needs no network
 * or key.
 */
export function createDemoAgent(config: DemoAgentConfig = {}): Agent {
  const defaults = { ...config, cwd: '.', env: {} }
  return {
    kind,
    capabilities: [...fullCapabilities, resumeKey].sort(),
    look: async () => ({ isInstalled: true }),
    check: (asked) => void checkRequest(asked, rules, defaults),
    run(asked, host) {
      const request = checkRequest(asked, rules, defaults)
      return createRun((sink) => driveDemo(request, host, sink))
    },
  }
}

function driveDemo(request: CheckedRequest, { clock }: RunHost, sink: RunSink): Driven {
  const { prompt, timeoutMs } = request
  const stage = openStage(sink, clock)
  const stop = () => stage.lowerCurtain('demo backend error: timeout')
  const limit = timeoutMs === undefined ? undefined : clock.after(timeoutMs, stop)
  let isOver = false

  const run = async (): Promise<RunCompletion> => {
    const handle = handleOf(request)
    await stage.tell(sessionNotice({ session: handle, model }))
    const { finalText, ...tokens } = await playStory(toPlay(request), stage)
    isOver = true
    const cost = { amount: 0, currency: 'USD' }
    await stage.tell({ kind: 'usage', inputTokens: toPieces(prompt).length, ...tokens, cost, model })
    return { status: { code: 0, signal: null }, finalText, handle }
  }

  return {
    finished: run().finally(() => limit?.clear()),
    end: () => stage.lowerCurtain('demo backend error: cancelled'),
    answer: stage.answer,
    message(text) {
      if (!isOver) stage.message(text)
      return !isOver
    },
  }
}

function toPlay({ prompt, resume }: CheckedRequest): Play {
  const { story, language, speed, fails, isQuiet } = readPrompt(prompt)
  const words = { en, de }[language]
  return {
    story: { trip: tripStory, fix: fixStory, long: () => undefined }[story](words),
    ...{ words, language, fails, isQuiet, isResumed: resume !== undefined },
    slowness: { slow: 4, normal: 1, fast: 0 }[speed],
  }
}

/** The agent's own session: the resumed one, or one derived from the prompt. */
function handleOf({ prompt, resume }: CheckedRequest): string {
  if (resume?.selector === 'id') return resume.id
  return `demo_${createHash('sha256').update(prompt).digest('hex').slice(0, 16)}`
}
