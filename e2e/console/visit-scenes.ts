import type { Page } from 'playwright-core'
import type { PlayedSessions } from './played-sessions.ts'
import type { Scene } from './scenes.ts'
import type { Stage } from './stage.ts'

/** A page for a caller with all grants and one for a caller without a key, which go from scene to scene. */
export interface Visitors {
  /** Opens a scene; resolves when it is visible. */
  visit(scene: Scene, played: PlayedSessions): Promise<Page>
}

export async function openVisitors(stage: Stage): Promise<Visitors> {
  const known = await stage.open('/')
  const stranger = await stage.open('/', { isAnonymous: true })
  return {
    async visit(scene, played) {
      const page = scene.isAnonymous === true ? stranger : known
      await page.unrouteAll()
      await page.goto(`${stage.gateway.url}${scene.path(played)}`)
      await scene.arrange(page, played)
      return page
    },
  }
}
