import { type Check, type Evidence, judgeEach } from '../check.ts'
import { evidenceOn, mainStories, type Story, textOf, typeOf } from '../story.ts'
import type { Transcript } from '../transcript.ts'

const invoked = 'aaep:agent.tool.invoked'
const completed = 'aaep:agent.tool.completed'
const whyNone = 'The agent used no tool.'

interface StoryCheck extends Pick<Check<Transcript>, 'id' | 'section' | 'sentence'> {
  find(story: Story): readonly Evidence[]
}

function check({ find, ...info }: StoryCheck) {
  return {
    ...info,
    level: 1,
    judge: (transcript) => judgeEach(mainStories(transcript).filter(usesTools), find, whyNone),
  } satisfies Check<Transcript>
}

function usesTools({ events }: Story): boolean {
  return events.some(({ event }) => typeOf(event) === invoked || typeOf(event) === completed)
}

/** Identifies a call by its id, or by its tool if it has no id. */
function keyOf(event: Parameters<typeof typeOf>[0]): string {
  const id = textOf(event, 'tool_call_id')
  return id === '' ? `tool ${textOf(event, 'tool')}` : id
}

function strayResults({ where, events }: Story): readonly Evidence[] {
  const open = new Map<string, string[]>()
  return events.flatMap(({ event }) => {
    const type = typeOf(event)
    const key = keyOf(event)
    const tool = textOf(event, 'tool')
    if (type === invoked) open.set(key, [...(open.get(key) ?? []), tool])
    if (type !== completed) return []
    const [of, ...others] = open.get(key) ?? []
    open.set(key, others)
    if (of === undefined) return [evidenceOn({ where, event }, '/tool_call_id', 'No call of it is open.')]
    return of === tool ? [] : [evidenceOn({ where, event }, '/tool', 'It was invoked under another name.')]
  })
}

function openCalls({ where, events, hasEnded }: Story): readonly Evidence[] {
  if (!hasEnded) return []
  const results = events.filter(({ event }) => typeOf(event) === completed).map(({ event }) => keyOf(event))
  return events.flatMap(({ event }) => {
    if (typeOf(event) !== invoked) return []
    const at = results.indexOf(keyOf(event))
    if (at >= 0) results.splice(at, 1)
    return at >= 0 ? [] : [evidenceOn({ where, event }, '', 'It never completed.')]
  })
}

function repeatedCalls({ where, events }: Story): readonly Evidence[] {
  const seen = new Set<string>()
  return events.flatMap(({ event }) => {
    const id = textOf(event, 'tool_call_id')
    if (typeOf(event) !== invoked || id === '') return []
    const isRepeated = seen.has(id)
    seen.add(id)
    return isRepeated ? [evidenceOn({ where, event }, '/tool_call_id', 'Another call has this id.')] : []
  })
}

export const toolChecks: readonly Check<Transcript>[] = [
  check({
    id: 'L1-TOOL-001',
    section: 'AAEP §4.3.2',
    sentence: 'A tool call completes once, after its invocation and under the same name.',
    find: strayResults,
  }),
  check({
    id: 'L1-TOOL-002',
    section: 'AAEP §4.5',
    sentence: 'Every tool call completes before the session ends.',
    find: openCalls,
  }),
  check({
    id: 'L1-TOOL-003',
    section: 'AAEP §4.3.1',
    sentence: 'Tool call ids are unique within a session.',
    find: repeatedCalls,
  }),
]
