// A gateway with its default settings that runs the measured agents.

import { tmpdir } from 'node:os'
import {
  createAuthenticator,
  createGateway,
  createLogger,
  createMetrics,
  createSecretStore,
  defaultConfig,
} from '@sluice/gateway'
import { decodeRecord, openLmdbLog } from '@sluice/log'
import { answerParent } from '../harness/answer-parent.mjs'
import { usageHandlers } from '../harness/usage.mjs'
import { clock } from './clock.mjs'
import { agents } from './measured-agents.mjs'
import { printerVariable } from './shapes.mjs'

const batchBytes = 1024 * 1024

let gateway
let log
const outcomes = []
let wake = () => {}

answerParent({
  ...usageHandlers,
  async start({ directory, concurrency }) {
    log = await openLmdbLog({ directory, clock })
    const metrics = {
      ...createMetrics(),
      runEnded(outcome) {
        outcomes.push(outcome)
        wake()
      },
    }
    gateway = createGateway({
      config: { ...defaultConfig, port: 0 },
      log,
      clock,
      logger: createLogger({ level: 'warn' }),
      metrics,
      authenticator: createAuthenticator({ clock, secrets: createSecretStore() }),
      agents: new Map(Object.entries(agents).map(([kind, agent]) => [kind, host(agent, concurrency)])),
    })
    const { port } = await gateway.listen()
    return { port }
  },
  /** Waits until `count` runs have ended, durably, since the last call. */
  async ended({ count }) {
    while (outcomes.length < count)
      await new Promise((resolve) => {
        wake = resolve
      })
    const failed = outcomes.splice(0).filter((outcome) => outcome !== 'completed')
    if (failed.length > 0) throw new Error(`${failed.length} of ${count} runs did not complete`)
  },
  /** How many characters of text a session holds. */
  async textIn({ session }) {
    let length = 0
    let next = 1
    for (;;) {
      const records = await log.read(session, next, { maxBytes: batchBytes })
      if (records.length === 0) return length
      for (const { seq, bytes } of records) {
        next = seq + 1
        for (const event of decodeRecord(bytes).events)
          if (event.kind === 'text-delta') length += event.text.length
      }
    }
  },
  async stop() {
    await gateway.close()
    await log.close()
  },
})

function host(agent, concurrency) {
  return {
    agent,
    title: agent.kind,
    concurrency,
    queue: 0,
    workingDirs: [tmpdir()],
    allowEnv: [printerVariable],
    isOpen: true,
  }
}
