import type { JsonObject } from '@sluice/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { print } from '../../packages/agents/src/testing/cli-script.ts'
import { type AgentGateway, startAgentGateway } from './agent-gateway.ts'
import { claudeScript } from './native-scripts.ts'
import { readFrames } from './read-session.ts'

const suffix = '…(truncated)'
const heart = '💖'
const dropped = { dropped: { reason: 'oversize' } }
const status = (more: JsonObject): JsonObject => ({
  agent_kind: 'fake',
  kind: 'Status',
  message: 'm',
  ...more,
})

/** Input and output of the bounds of the Universal Agent API. */
const frameVectors: readonly (readonly [string, JsonObject, JsonObject])[] = [
  ['a message at its bound', status({ message: 'a'.repeat(4096) }), status({ message: 'a'.repeat(4096) })],
  [
    'a message of one byte more',
    status({ message: 'a'.repeat(4097) }),
    status({ message: 'a'.repeat(4082) + suffix }),
  ],
  [
    'a message of four bytes a character',
    status({ message: heart.repeat(1025) }),
    status({ message: heart.repeat(1020) + suffix }),
  ],
  [
    'a message that is cut inside a character',
    status({ message: `x${'é'.repeat(2048)}` }),
    status({ message: `x${'é'.repeat(2040)}${suffix}` }),
  ],
  ['data at its bound', status({ data: 'a'.repeat(65_534) }), status({ data: 'a'.repeat(65_534) })],
  ['data of one byte more', status({ data: 'a'.repeat(65_535) }), status({ data: dropped })],
  ['a channel at its bound', status({ channel: 'c'.repeat(128) }), status({ channel: 'c'.repeat(128) })],
  ['a channel of one byte more', status({ channel: 'c'.repeat(129) }), status({})],
  ['a channel of two bytes a character', status({ channel: 'é'.repeat(65) }), status({})],
]

const textVectors: readonly (readonly [string, string, readonly number[]])[] = [
  ['at its bound', 'a'.repeat(65_536), [65_536]],
  ['of one byte more', 'a'.repeat(65_537), [65_536, 1]],
  ['that would be cut inside a character', `a${heart.repeat(16_384)}`, [65_533, 4]],
  ['of four bytes a character', heart.repeat(40_000), [65_536, 65_536, 28_928]],
]

const finalVectors: readonly (readonly [string, string, string])[] = [
  ['at its bound', 'a'.repeat(65_536), 'a'.repeat(65_536)],
  ['of one byte more', 'a'.repeat(65_537), 'a'.repeat(65_522) + suffix],
  ['of four bytes a character', heart.repeat(40_000), heart.repeat(16_380) + suffix],
]

describe('a run of a program that says more than an event may hold', () => {
  let gateway: AgentGateway
  const config = { dialect: 'agent-event', prompt: 'none' }
  beforeAll(async () => {
    gateway = await startAgentGateway(
      Object.fromEntries([
        ['frames', { type: 'command', steps: print(frameVectors.map(([, frame]) => frame)), config }],
        ...textVectors.map(([name, text]) => [
          `text ${name}`.replaceAll(' ', '-'),
          { type: 'command', steps: print([{ agent_kind: 'fake', kind: 'TextOutput', text }]), config },
        ]),
        ...finalVectors.map(([name, text]) => [
          `final ${name}`.replaceAll(' ', '-'),
          {
            type: 'claude_code',
            steps: print(claudeScript.begin('go'), claudeScript.text(text), claudeScript.success),
            config: { permissions: 'deny' },
          },
        ]),
      ]),
    )
  })
  afterAll(() => gateway.remove())

  async function framesOf(agent: string) {
    const { id } = await gateway.client.agents.run(agent.replaceAll(' ', '-'), { prompt: 'go' })
    return readFrames(gateway.url, id, 'agent-event')
  }

  const textsOf = (frames: Awaited<ReturnType<typeof framesOf>>): readonly string[] =>
    frames.flatMap(({ kind, text }) => (kind === 'TextOutput' ? [String(text)] : []))

  test('has messages, data and channels within their bounds', async () => {
    const frames = await framesOf('frames')
    expect(frames.at(-1)).toMatchObject({ completion: { ok: {} } })
    const told = frames.filter(({ kind }) => kind === 'Status').slice(-frameVectors.length)
    for (const [index, [name, , out]] of frameVectors.entries()) expect(told[index], name).toEqual(out)
  })

  test.each(textVectors)('has a text %s in parts that are whole characters', async (name, text, sizes) => {
    const parts = textsOf(await framesOf(`text ${name}`))
    expect(parts.map((part) => Buffer.byteLength(part))).toEqual(sizes)
    expect(parts.join('') === text).toBe(true)
  })

  test.each(finalVectors)('has a final text %s within its bound', async (name, text, final) => {
    const frames = await framesOf(`final ${name}`)
    const parts = textsOf(frames)
    expect(parts.join('') === text).toBe(true)
    expect(Math.max(...parts.map((part) => Buffer.byteLength(part)))).toBeLessThanOrEqual(65_536)
    expect(frames.at(-1)).toMatchObject({ completion: { ok: { final_text: final } } })
  })
})
