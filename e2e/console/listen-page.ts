import type { Page } from 'playwright-core'
import { hearingScript, untilHeard } from './hear-page.ts'
import { type PlayedAgent, playAgent } from './publish-text.ts'
import type { Stage } from './stage.ts'

/** The announcement to a client that joins before the agent has done anything. */
export const joined = 'The agent has nothing to do yet.'
export const finished = 'The agent has finished.'

interface Listening {
  readonly agent: PlayedAgent
  readonly page: Page
}

/** Starts a session and listens to it, on a separate page unless one is given; resolves when it is heard. */
export async function listenPage(stage: Stage, given?: Page): Promise<Listening> {
  const agent = await playAgent(stage.client)
  const path = `/sessions/${agent.session}`
  const page = given ?? (await stage.open(path, { script: hearingScript }))
  if (given !== undefined) await page.goto(`${stage.gateway.url}${path}`)
  await untilHeard(page, joined)
  return { agent, page }
}
