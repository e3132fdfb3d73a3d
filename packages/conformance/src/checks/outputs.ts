import { type Check, type Evidence, judgeEach } from '../check.ts'
import { evidenceOn, mainStories, type Story, textOf, typeOf } from '../story.ts'
import type { ArrivedEvent, Transcript } from '../transcript.ts'

interface Output {
  readonly where: string
  readonly chunks: readonly ArrivedEvent[]
  readonly hasEnded: boolean
}

function outputsOf({ where, events, hasEnded }: Story): readonly Output[] {
  const outputs = new Map<string, ArrivedEvent[]>()
  for (const arrived of events) {
    if (typeOf(arrived.event) !== 'aaep:agent.output.streaming') continue
    const key = textOf(arrived.event, 'output_id')
    const chunks = outputs.get(key)
    if (chunks === undefined) outputs.set(key, [arrived])
    else chunks.push(arrived)
  }
  return [...outputs.values()].map((chunks) => ({ where, chunks, hasEnded }))
}

function check(
  id: string,
  sentence: string,
  find: (output: Output) => readonly Evidence[],
): Check<Transcript> {
  return {
    id,
    level: 1,
    section: 'AAEP §4.3.3',
    sentence,
    judge: (transcript) =>
      judgeEach(mainStories(transcript).flatMap(outputsOf), find, 'The agent wrote no text.'),
  }
}

function completions({ where, chunks, hasEnded }: Output): readonly Evidence[] {
  const last = chunks.filter(({ event }) => event['complete'] === true)
  const [first] = chunks
  if (last.length === 0 && hasEnded && first !== undefined)
    return [evidenceOn({ where, event: first.event }, '/output_id', 'It is never complete.')]
  return last
    .slice(1)
    .map(({ event }) => evidenceOn({ where, event }, '/complete', 'It was complete before.'))
}

function afterComplete({ where, chunks }: Output): readonly Evidence[] {
  const end = chunks.findIndex(({ event }) => event['complete'] === true)
  if (end < 0) return []
  return chunks
    .slice(end + 1)
    .filter(({ event }) => event['complete'] !== true)
    .map(({ event }) => evidenceOn({ where, event }, '/chunk', 'The output is complete.'))
}

/** AAEP does not define a character: code points and UTF-16 code units both pass if used consistently. */
function positions({ where, chunks }: Output): readonly Evidence[] {
  const count = (length: (text: string) => number): readonly Evidence[] => {
    let expected = 0
    return chunks.flatMap(({ event }) => {
      const at = expected
      expected += length(textOf(event, 'chunk'))
      return event['position'] === at ? [] : [evidenceOn({ where, event }, '/position', `It would be ${at}.`)]
    })
  }
  const inPoints = count((text) => [...text].length)
  return inPoints.length === 0 || count((text) => text.length).length === 0 ? [] : inPoints
}

export const outputChecks: readonly Check<Transcript>[] = [
  check('L1-OUT-001', 'Every output completes exactly once.', completions),
  check('L1-OUT-002', 'No chunk follows the last chunk of its output.', afterComplete),
  check(
    'L1-OUT-003',
    'The position of a chunk is the number of characters before it in its output.',
    positions,
  ),
]
