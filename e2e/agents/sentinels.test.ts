import { dialects } from '@sluice/protocol/dialects'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { print, sentinels } from '../../packages/agents/src/testing/cli-script.ts'
import type { FakeStep } from '../../packages/agents/src/testing/fake-program.ts'
import type { TransportName } from '../testing/transports.ts'
import { type AgentGateway, type StagedAgent, startAgentGateway } from './agent-gateway.ts'
import { claudeAsks, type NativeScript, nativeScripts } from './native-scripts.ts'
import { allowedPlaces, outside, type Payload, placesOf } from './payload-places.ts'
import { readEnd, readTexts } from './read-session.ts'

const words = { ...sentinels, asked: 'SENTINEL-ASKED-ENV' } as const
type Word = keyof typeof words
/** What some dialects may contain, by the names in their pages and in `supports`. */
const told: readonly (readonly [Word, Payload, 'request' | 'toolArgs' | 'toolResults'])[] = [
  ['prompt', 'the request', 'request'],
  ['args', 'tool arguments', 'toolArgs'],
  ['output', 'tool results', 'toolResults'],
]
const everyWord = Object.keys(words) as readonly Word[] // the keys of the object above
const transports: readonly TransportName[] = ['sse', 'ndjson']

const tool = (id: string, { ok = true }: { readonly ok?: boolean | undefined } = {}) => ({
  id,
  input: words.args,
  output: words.output,
  ok,
})

const broken: FakeStep = {
  bytes: Buffer.from([0xff, ...Buffer.from(`${words.garbage}\n`)]).toString('base64'),
  encoding: 'base64',
}

/** Lines that the agent never prints. If it prints text, only lines before its own first line are foreign. */
function garbageOf({ type }: NativeScript): readonly FakeStep[] {
  const lines = [`${words.garbage} {`, { type: 'never-heard-of', secret: words.garbage }]
  return type === 'aider' ? print([words.garbage]) : print(lines)
}

function stepsOf(script: NativeScript): readonly FakeStep[] {
  const asks: readonly FakeStep[] =
    script.type === 'claude_code' ? [...print(claudeAsks(tool('t0'))), { awaitLine: '"deny"' }] : []
  return [
    { complain: `${words.stderr}\n` },
    ...garbageOf(script),
    broken,
    ...print(script.begin(`go ${words.prompt}`)),
    ...asks,
    ...print(script.tools([tool('t1'), tool('t2', { ok: false })]), script.text('Done.'), script.success),
  ]
}

function failingStepsOf(script: NativeScript): readonly FakeStep[] {
  return [
    ...garbageOf(script),
    ...print(script.begin(`go ${words.prompt}`)),
    { complain: `Error: ${words.stderr}\n` },
    { exit: 3 },
  ]
}

function stage({ type }: NativeScript, steps: readonly FakeStep[]): StagedAgent {
  const asking = type === 'claude_code' ? { permissions: 'ask', askTimeoutMs: 300 } : {}
  return { type, steps, config: { env: { SECRET: words.env }, allowEnv: ['ASKED'], ...asking } }
}

describe('what is planted in a run', () => {
  let gateway: AgentGateway
  const sessions = new Map<string, string>()
  const names = nativeScripts.flatMap(({ type }) => [type, `${type}-failing`])
  beforeAll(async () => {
    gateway = await startAgentGateway(
      Object.fromEntries(
        nativeScripts.flatMap((script) => [
          [script.type, stage(script, stepsOf(script))],
          [`${script.type}-failing`, stage(script, failingStepsOf(script))],
        ]),
      ),
    )
    for (const name of names) {
      const request = { prompt: `go ${words.prompt}`, env: { ASKED: words.asked } }
      sessions.set(name, (await gateway.client.agents.run(name, request)).id)
    }
  })
  afterAll(() => gateway.remove())
  const sessionOf = (name: string): string => sessions.get(name) ?? ''

  test.each(names)('reaches the program of %s, and the run ends as it should', async (name) => {
    const end = await readEnd(gateway.url, sessionOf(name))
    expect(end.outcome).toBe(name.endsWith('-failing') ? 'failed' : 'completed')
    const call = gateway.program(name).call()
    expect(call?.env).toMatchObject({ SECRET: words.env, ASKED: words.asked })
    expect(JSON.stringify(call?.args)).not.toContain(words.prompt)
  })

  const views = dialects.flatMap(({ id, supports }) =>
    transports.map((transport) => [id, transport, supports.payloads] as const),
  )
  test.each(views)(
    'stands in %s over %s only where its page allows it',
    async (dialect, transport, holds) => {
      const found = new Set<Word>()
      for (const name of names) {
        const texts = await readTexts(gateway.url, sessionOf(name), { dialect, transport })
        const frames = texts.map((text): unknown => JSON.parse(text))
        for (const word of everyWord) {
          const [, payload] = told.find(([of]) => of === word) ?? []
          const pointers = payload === undefined ? [] : allowedPlaces(dialect, payload)
          const places = frames.flatMap((frame) => placesOf(frame, words[word]))
          if (places.length > 0) found.add(word)
          expect(outside(places, pointers), `${word} of ${name}`).toEqual([])
        }
      }
      expect([...found].sort()).toEqual(told.flatMap(([word, , kind]) => (holds[kind] ? [word] : [])).sort())
    },
  )

  test.each(names)('stands in the resource of %s only as what it is there', async (name) => {
    const snapshot = await gateway.client.snapshot(sessionOf(name))
    const allowed: Partial<Record<Word, readonly string[]>> = {
      prompt: ['/session/title', '/snapshot/request'],
      args: ['/snapshot/calls/*/args'],
      output: ['/snapshot/calls/*/result'],
    }
    for (const word of everyWord)
      expect(outside(placesOf(snapshot, words[word]), allowed[word] ?? []), word).toEqual([])
    expect(snapshot.session.title).toContain(words.prompt)
  })

  test('stands in no list but as a title, in no metric, and in no line of the log', async () => {
    const { sessions: listed } = await gateway.client.sessions.list()
    for (const word of everyWord)
      expect(outside(placesOf(listed, words[word]), word === 'prompt' ? ['/*/title'] : []), word).toEqual([])
    const headers = { authorization: `Bearer ${gateway.localKey}` }
    const metrics = await (await fetch(`${gateway.url}/metrics`, { headers })).text()
    expect(metrics).toContain('sluice_')
    expect(gateway.errors()).toContain('a run ended')
    for (const text of [metrics, gateway.errors()]) expect(text).not.toContain('SENTINEL')
  })
})
