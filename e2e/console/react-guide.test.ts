import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build, type Rolldown } from 'vite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocksOf } from '../../checks/docs/markdown.ts'
import { until } from '../testing/until.ts'
import { playAgent } from './publish-text.ts'
import { chromium, openStage, type Stage } from './stage.ts'

/** The example of the guide. */
function example(): string {
  const block = blocksOf(readFileSync('docs/guides/react.md', 'utf8')).find(({ tags }) =>
    tags.includes('example'),
  )
  if (block === undefined) throw new Error('the guide has no example')
  return block.text
}

/** The example, and a line that shows it, as one script for a page. */
async function bundle(text: string): Promise<string> {
  // Packages are resolved from the folder of the module.
  const folder = resolve('node_modules', '.cache', `sluice-react-guide-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  try {
    writeFileSync(join(folder, 'guide.tsx'), text)
    writeFileSync(
      join(folder, 'main.tsx'),
      `import { createRoot } from 'react-dom/client'
       import { App } from './guide.tsx'
       createRoot(document.getElementById('root')!).render(<App id={location.pathname.split('/').at(-1) ?? ''} />)`,
    )
    const built = await build({
      root: folder,
      configFile: false,
      logLevel: 'silent',
      define: { 'process.env.NODE_ENV': '"production"' },
      oxc: { jsx: { runtime: 'automatic', development: false } },
      build: { write: false, lib: { entry: join(folder, 'main.tsx'), formats: ['es'], fileName: 'main' } },
    })
    const { output } = (Array.isArray(built) ? built[0] : built) as Rolldown.RolldownOutput // not watching
    return output[0].code
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe.skipIf(chromium === undefined)('the example of the React guide', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(async () => {
    await stage?.close()
  })

  test('has at most twelve lines', () => {
    expect(
      example()
        .split('\n')
        .filter((line) => line.trim() !== '').length,
    ).toBeLessThanOrEqual(12)
  })

  test('shows the text and the question of a session, announces them, and answers', async () => {
    const script = await bundle(example())
    const agent = await playAgent(stage.client)
    await agent.text('Hello from the agent. ')
    // Replaces the console's own script, so that the gateway still serves the page.
    const { token } = await stage.client.login(stage.gateway.localKey)
    const page = await stage.open('/', { isAnonymous: true })
    await page.evaluate((given) => sessionStorage.setItem('token', given), token)
    await page.route('**/assets/index-*.js', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: script }),
    )
    await page.goto(`${stage.gateway.url}/sessions/${agent.session}`)
    await page.getByText('Hello from the agent.').first().waitFor()
    await page.locator('main[aria-label="live"]').waitFor()

    await agent.say({ kind: 'question-open', question: 'confirmation', token: 'tok_guide', text: 'Go on?' })
    await page.locator('[data-part="assertive"]', { hasText: 'Go on?' }).waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByText('You answered: Accept.').waitFor()

    await agent.text('And more.')
    await until(
      async () => (await page.locator('main > p').textContent()) === 'Hello from the agent. And more.',
    )
    await agent.end()
    await page.locator('main[aria-label="ended"]').waitFor()
    expect(stage.faults).toEqual([])
  })
})
