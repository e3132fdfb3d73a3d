import { createHash } from 'node:crypto'
import type { Agent, RunCompletion, RunHost } from '@sluice/protocol'
import { sessionNotice } from '../cli/session-notice.ts'
import { fullCapabilities } from '../request/capabilities.ts'
import { checkRequest } from '../request/check-request.ts'
import type { CheckedRequest } from '../request/checked-request.ts'
import { resumeKey } from '../request/extension-keys.ts'
import { createRun, type Driven, type RunSink } from '../run/create-run.ts'
import { toPieces } from './pieces.ts'
import { type Play, playScript } from './play-script.ts'
import { readPrompt } from './read-prompt.ts'
import { openStage } from './stage.ts'
import { fixStory } from './stories/fix.ts'
import { longStory } from './stories/long.ts'
import { tripStory } from './stories/trip.ts'
import { demoLanguages } from './words/languages.ts'

export interface DemoAgentConfig {
  /** The longest that a run may take; no limit unless said. */
  readonly timeoutMs?: number
}

const kind = 'demo'
const model = 'demo-1'
const rules = { kind, extensions: [resumeKey] }
/** A scripted agent for trying things out: the same for the same prompt and answers. It needs no network and no key. */
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
  const { stage, answer, message, lowerCurtain } = openStage(sink, clock)
  const limit =
    timeoutMs === undefined
      ? undefined
      : clock.after(timeoutMs, () => lowerCurtain('demo backend error: timeout'))

  let isOver = false

  const run = async (): Promise<RunCompletion> => {
    const handle = handleOf(request)
    await stage.tell(sessionNotice({ session: handle, model }))
    const { finalText, ...tokens } = await playScript(toPlay(request), stage)
    isOver = true
    await stage.tell({
      kind: 'usage',
      inputTokens: toPieces(prompt).length,
      ...tokens,
      cost: { amount: 0, currency: 'USD' },
      model,
    })
    return { status: { code: 0, signal: null }, finalText, handle }
  }

  return {
    finished: run().finally(() => limit?.clear()),
    end: () => lowerCurtain('demo backend error: cancelled'),
    answer,
    message(text) {
      if (!isOver) message(text)
      return !isOver
    },
  }
}

function toPlay({ prompt, resume }: CheckedRequest): Play {
  const { story, language, speed, fails, isQuiet } = readPrompt(prompt)
  const { words } = demoLanguages[language]
  const stories = {
    trip: () => tripStory(words.trip),
    fix: () => fixStory(words.fix),
    long: () => longStory(words.long),
  }
  const script = stories[story]()
  return {
    script: resume === undefined ? script : [{ do: 'say', text: words.again }, ...script],
    language,
    heard: words.heard,
    slowness: { slow: 4, normal: 1, fast: 0 }[speed],
    fails,
    isQuiet,
  }
}

/** Its own session: that which it goes on with, or one that its prompt names. */
function handleOf({ prompt, resume }: CheckedRequest): string {
  if (resume?.selector === 'id') return resume.id
  return `demo_${createHash('sha256').update(prompt).digest('hex').slice(0, 16)}`
}
