import { dialectById } from '@sluice/protocol/dialects'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nativeSessions } from '../resume/native-sessions.ts'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'
import { endSession, publishText } from '../testing/publish.ts'
import { until } from '../testing/until.ts'
import { aaepTransports } from './testing/aaep-transports.ts'
import { readAnswers } from './testing/read-answers.ts'
import { isTerminal, readTold, toTold } from './testing/told.ts'

const aaep = dialectById('aaep')

describe.each(nativeSessions)('a session that its agent writes in $dialect', ({ id, dialect, texts }) => {
  let gateway: GatewayProcess
  beforeAll(async () => {
    gateway = await startGatewayProcess()
  })
  afterAll(() => gateway?.remove())

  test.each(Object.entries(aaepTransports))(
    'is whole and valid on default terms (%s)',
    async (name, open) => {
      const session = `${id}${name}`
      const reading = await open({ url: gateway.url, key: gateway.localKey, sessions: [session] })
      for (const text of texts)
        await publishText(gateway.url, session, { dialect, text: text.replaceAll(id, session) })
      await endSession(gateway.url, session)
      await until(() => reading.events.some(isTerminal))
      const { events } = reading
      for (const event of events) expect(aaep.validate(event), JSON.stringify(event)).toEqual([])
      expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length)

      const told = toTold(events)
      expect(told).toEqual(await readTold(gateway.url, [session]))
      const answers = await readAnswers(gateway.url, session)
      expect(answers.length).toBeGreaterThan(0)
      expect(
        Object.values(told.texts)
          .filter((text) => text !== '')
          .sort(),
      ).toEqual([...answers].sort())
      const types = told.events[session]?.map((each) => each.split(' ')[0]?.replace('aaep:agent.', ''))
      for (const critical of ['awaiting.confirmation', 'awaiting.clarification', 'handoff.requested'])
        expect(types).toContain(critical)
      expect(types?.at(-1)).toBe('session.errored')
      const critical = events.filter(({ urgency }) => urgency === 'critical').map(({ type }) => type)
      expect(new Set(critical)).toEqual(
        new Set(
          ['awaiting.confirmation', 'awaiting.clarification', 'handoff.requested', 'session.errored'].map(
            (type) => `aaep:agent.${type}`,
          ),
        ),
      )
    },
  )
})
