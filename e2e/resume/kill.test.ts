import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GatewayProcess, startGatewayProcess } from '../testing/gateway-process.ts'
import { endSession } from '../testing/publish.ts'
import { rounds } from '../testing/rounds.ts'
import { transportNames, transports } from '../testing/transports.ts'
import { until } from '../testing/until.ts'
import { type FollowingReader, followSession } from './following-reader.ts'
import { followLives, type GatewayLives } from './gateway-lives.ts'
import { type NumberedProducer, startProducer } from './numbered-producer.ts'

const kills = Math.max(2, rounds)
const sessionIds = ['sess_a', 'sess_b', 'sess_c', 'sess_d', 'sess_e']
const producersPerSession = 4
const readersPerSession = 10
const readDialects = ['sluice', 'stream-event', 'aaep']

describe('a gateway that is killed while 20 producers write and 50 readers read', () => {
  let gateway: GatewayProcess
  let lives: GatewayLives
  const lost: string[] = []
  beforeAll(async () => {
    gateway = await startGatewayProcess()
    lives = followLives(gateway)
  })
  afterAll(() => gateway.remove())

  function startReaders(session: string): readonly FollowingReader[] {
    return Array.from({ length: readersPerSession }, (_, index) => {
      const name = transportNames[index % transportNames.length] ?? 'sse'
      const dialect = readDialects[Math.floor(index / 3) % readDialects.length] ?? 'sluice'
      return followSession(lives, transports[name], { session, dialect })
    })
  }

  /** Kills and restarts the gateway; returns how many requests were under way then and got no answer. */
  async function killInFlight(producers: readonly NumberedProducer[]): Promise<number> {
    const waiting = producers
      .filter(({ isWaiting }) => isWaiting)
      .map((producer) => ({ producer, acknowledged: producer.acknowledged, unanswered: producer.unanswered }))
    let inFlight = 0
    await lives.killAndRestart(async () => {
      await until(() => waiting.every(({ producer, unanswered }) => producer.unanswered > unanswered))
      inFlight = waiting.filter((before) => before.producer.acknowledged === before.acknowledged).length
    })
    return inFlight
  }

  test('shows every reader every acknowledged event once and in order', async () => {
    const producers: readonly NumberedProducer[] = sessionIds.flatMap((session, group) =>
      Array.from({ length: producersPerSession }, (_, index) => {
        const name = `p${group * producersPerSession + index}`
        return startProducer(lives, { session, name, batchSize: 1 + index }, (what) => lost.push(what))
      }),
    )
    await until(() => producers.every(({ acknowledged }) => acknowledged > 0))
    const readers = sessionIds.map((session) => ({ session, readers: startReaders(session) }))
    const everyReader = readers.flatMap((each) => each.readers)

    let killed = 0
    // A kill between two requests cuts nothing off, and does not count.
    for (let counted = 0; counted < kills; killed += 1) {
      const acknowledged = producers.map((producer) => producer.acknowledged)
      const events = everyReader.map((reader) => reader.events)
      // Everyone has been at work since the last restart.
      await until(() =>
        producers.every((producer, index) => producer.acknowledged > (acknowledged[index] ?? 0) + 20),
      )
      await until(() => everyReader.every((reader, index) => reader.events > (events[index] ?? 0)))
      if ((await killInFlight(producers)) > 0) counted += 1
    }
    await until(() => everyReader.every(({ connections }) => connections > killed))
    await Promise.all(producers.map((producer) => producer.stop()))
    for (const session of sessionIds) await endSession(gateway.url, session)

    expect(lost).toEqual([])
    for (const { session, readers: ofSession } of readers) {
      const stored = producers.filter((producer) => producer.session === session)
      const counts = Object.fromEntries(stored.map((producer) => [producer.name, producer.stored]))
      const digests = new Map<string, Set<string>>()
      for (const [index, reader] of ofSession.entries()) {
        const followed = await reader.done
        expect(followed.wrong).toEqual([])
        expect(followed.counts).toEqual(counts)
        const dialect = String(Math.floor(index / 3) % readDialects.length)
        digests.set(dialect, (digests.get(dialect) ?? new Set()).add(followed.digest))
      }
      for (const found of digests.values()) expect(found.size).toBe(1)
    }
    expect(gateway.errors()).toBe('')
  })
})
