import type { JsonObject } from '@sluice/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'
import { publishText } from '../testing/publish.ts'
import { until } from '../testing/until.ts'
import type { AaepReading, AaepRequest } from './testing/aaep-reading.ts'
import { aaepTransports } from './testing/aaep-transports.ts'

/** How many events back a subscription can resume (docs/aaep.md). */
const ring = 4096
const busy = 'sess_busy'
const waiting = 'sess_waiting'

const question = { kind: 'question-open', question: 'confirmation', token: 'rpl_aged', text: 'Go on?' }

/** Identifies an event by its session, type and tool call, whatever its id. */
const nameOf = ({ session_id, type, tool_call_id }: JsonObject) => `${session_id} ${type} ${tool_call_id}`

describe.each(Object.entries(aaepTransports))(
  'a subscription with more events than its ring (%s)',
  (_name, open) => {
    let gateway: GatewayProcess
    let request: AaepRequest
    let subscription: string
    let all: readonly JsonObject[]
    let calls = 0

    async function callTools(count: number): Promise<void> {
      const lines = Array.from({ length: count }, () => {
        const call = `call_${calls}`
        calls += 1
        return [
          { kind: 'tool-call', call, tool: 'look' },
          { kind: 'tool-result', call, tool: 'look', status: 'success' },
        ].map((event) => JSON.stringify({ events: [event] }))
      })
      const response = await fetch(`${gateway.url}/v1/sessions/${busy}/events?dialect=sluice`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson' },
        body: `${lines.flat().join('\n')}\n`,
      })
      expect(await response.json()).toMatchObject({ accepted: 2 * count, refused: [] })
    }

    beforeAll(async () => {
      gateway = await startGatewayProcess()
      request = { url: gateway.url, key: gateway.localKey, sessions: [busy, waiting] }
      for (const [session, event] of [
        [busy, { kind: 'session-start' }],
        [waiting, question],
      ] as const)
        await publishText(gateway.url, session, {
          dialect: 'sluice',
          text: JSON.stringify({ events: [event] }),
        })
      const reading = await open(request)
      subscription = reading.subscription
      await callTools(ring + 500)
      await until(() => reading.events.filter(isResult).length === ring + 500)
      all = reading.events
      reading.cut()
    })
    afterAll(() => gateway?.remove())

    const isResult = ({ type }: JsonObject): boolean => type === 'aaep:agent.tool.completed'
    const resume = (lastEvent: JsonObject | undefined): Promise<AaepReading> =>
      open({ ...request, subscription, lastEventId: String(lastEvent?.['event_id']) })

    test.each([
      ['the last', -1],
      ['the oldest', -ring],
    ])('goes on behind %s that is in it, also after kill -9', async (_which, at) => {
      const rest = all.slice(all.length + at + 1).map(nameOf)
      for (const kills of [false, true]) {
        if (kills) {
          await gateway.kill()
          await gateway.restart()
        }
        const reading = await resume(all.at(at))
        await until(() => reading.events.length >= rest.length)
        expect(reading.events.map(nameOf)).toEqual(rest)
        reading.cut()
      }
    })

    test.each([
      ['that has aged out', () => all.at(-ring - 1)],
      ['that nobody has sent', () => ({ event_id: 'evt_unheard' })],
    ])('tells how its sessions stand behind an event %s, and goes on', async (_which, lastEvent) => {
      const reading = await resume(lastEvent())
      const isState = ({ type }: JsonObject): boolean => type === 'aaep:agent.state.changed'
      await until(() => reading.events.filter(isState).length === 2)
      await until(() => reading.events.some(({ reply_token }) => reply_token === question.token))
      const before = reading.events.length
      expect(new Set(reading.events.filter(isState).map(({ session_id }) => session_id))).toEqual(
        new Set([busy, waiting]),
      )
      expect(before).toBe(3)
      await callTools(2)
      await until(() => reading.events.filter(isResult).length === 2)
      expect(reading.events.slice(before).map(({ tool_call_id }) => tool_call_id)).toEqual(
        [calls - 2, calls - 2, calls - 1, calls - 1].map((n) => `call_${n}`),
      )
      reading.cut()
    })
  },
)
