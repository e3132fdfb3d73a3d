import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rounds } from '../testing/rounds.ts'
import { playAgent } from './publish-text.ts'
import { chromium, openStage, type Stage } from './stage.ts'

const harmful = `
<script>globalThis.harmed = 'script'</script>
<img src=x onerror="globalThis.harmed = 'onerror'">
<svg onload="globalThis.harmed = 'onload'"></svg>
<iframe src="javascript:globalThis.harmed = 'iframe'"></iframe>
<a href="javascript:globalThis.harmed = 'href'">raw</a>

[click](javascript:globalThis.harmed='link')
[click](JaVaScRiPt&colon;globalThis.harmed='entity')
[click](data:text/html,<script>globalThis.harmed='data'</script>)
[click](vbscript:msgbox)
![image](http://127.0.0.1:1/steal.png)
<javascript:globalThis.harmed='autolink'>
[ref]

[ref]: javascript:globalThis.harmed='ref'

| a | b
|--
| broken | table | with | more | cells
|
\`\`\`
unclosed <script>globalThis.harmed = 'fence'</script>
`

describe.skipIf(chromium === undefined)('what an agent writes', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(async () => {
    await stage?.close()
  })

  async function show(pieces: readonly string[], before: readonly string[] = []): Promise<Page> {
    const agent = await playAgent(stage.client, '<b onclick="globalThis.harmed=1">request</b>')
    await Promise.all(before.map((piece) => agent.text(piece)))
    const page = await stage.open(`/sessions/${agent.session}`)
    await Promise.all(pieces.map((piece) => agent.text(piece)))
    await agent.end()
    await page.locator('.end').waitFor()
    return page
  }

  test('harms nothing', async () => {
    const requests: string[] = []
    const page = await show(harmful.match(/[\s\S]{1,7}/g) ?? [])
    page.on('request', (request) => requests.push(request.url()))
    await page.locator('.answer', { hasText: 'unclosed' }).waitFor()
    for (const link of await page.locator('.answer a').all())
      expect(await link.getAttribute('href')).toMatch(/^(https?|mailto):/)
    const tags = await page
      .locator('.answer *')
      .evaluateAll((all) => [...new Set(all.map((one) => one.tagName))])
    for (const tag of ['SCRIPT', 'IMG', 'SVG', 'IFRAME', 'STYLE', 'OBJECT', 'FORM', 'INPUT'])
      expect(tags).not.toContain(tag)
    const handlers = await page
      .locator('.answer *')
      .evaluateAll((all) =>
        all.flatMap((one) => one.getAttributeNames().filter((name) => /^on|^style$/.test(name))),
      )
    expect(handlers).toEqual([])
    expect(await page.evaluate('globalThis.harmed')).toBeUndefined()
    expect(requests.filter((url) => !url.startsWith(stage.gateway.url))).toEqual([])
    expect(await page.locator('.answer').textContent()).toContain(
      "<script>globalThis.harmed = 'script'</script>",
    )
  })

  const large = [
    ['a line of a megabyte', 'x'.repeat(1_000_000)],
    ['a megabyte of rows', `| a |\n| - |\n${'| b |\n'.repeat(160_000)}`],
    ['quotes in quotes', `${'> '.repeat(2000)}deep`],
    ['a megabyte of open brackets', '['.repeat(1_000_000)],
    ['a megabyte of stars', '*a '.repeat(333_333)],
  ] as const
  test.each(rounds > 1 ? large : large.slice(0, 3))('%s leaves the page usable', async (_, text) => {
    // An event is at most a megabyte, so the text, with its envelope, takes two.
    await checkUsable(await show([text.slice(0, 500_000), text.slice(500_000)]))
  })

  test('half of a table leaves the page usable: who joins there knows of no head', async () => {
    await checkUsable(await show(['| b |\n'.repeat(80_000)], [`| a |\n| - |\n${'| b |\n'.repeat(80_000)}`]))
  })

  async function checkUsable(page: Page): Promise<void> {
    await page.getByRole('link', { name: 'Timeline' }).click()
    await page.locator('.timeline-row').first().waitFor()
    await page.getByRole('link', { name: 'Answer' }).click()
    await page.locator('.answer').waitFor()
    expect(await page.evaluate('document.scrollingElement.scrollWidth <= innerWidth')).toBe(true)
  }

  test('causes no error and breaks no policy', () => expect(stage.faults).toEqual([]))
})
