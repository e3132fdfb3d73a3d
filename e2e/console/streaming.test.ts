import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../testing/until.ts'
import { playAgent } from './publish-text.ts'
import { chromium, openStage, type Stage } from './stage.ts'

/** Records, in the page, every node that was removed from the answer. */
const watchRemovals = `
  globalThis.removed = []
  const start = () => {
    const answer = document.querySelector('.answer')
    if (answer === null) return setTimeout(start, 5)
    new MutationObserver((records) => {
      for (const record of records)
        for (const node of record.removedNodes)
          if (node.textContent.trim() !== '' && !/No answer yet/.test(node.textContent)) globalThis.removed.push(node.textContent)
    }).observe(answer, { childList: true, subtree: true })
  }
  addEventListener('DOMContentLoaded', start)
`

const block = (n: number): string =>
  [
    `## Part ${n}\n\n`,
    `A paragraph with *some* emphasis, \`code\` and a [link](https://example.org/${n}). It goes on.\n\n`,
    `- one\n- two\n\n- three, loose\n\n`,
    `| a | b |\n| - | - |\n| ${n} | x |\n\n`,
    `\`\`\`ts\nconst n = ${n}\n\`\`\`\n\n`,
    '> quoted\n\n',
  ].join('')

describe.skipIf(chromium === undefined)('a session that streams', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(async () => {
    await stage?.close()
  })

  test('replaces no node of text that is finished', async () => {
    const agent = await playAgent(stage.client)
    const page = await stage.open(`/sessions/${agent.session}`, { script: watchRemovals })
    const text = Array.from({ length: 12 }, (_, n) => block(n)).join('')
    // Pieces of a few characters, at least two hundred per second.
    for (let at = 0; at < text.length; ) {
      const pieces: Promise<void>[] = []
      for (let n = 0; n < 20; n++, at += 3) pieces.push(agent.text(text.slice(at, at + 3)))
      await Promise.all(pieces)
    }
    await agent.end()
    await page.locator('.end').waitFor()
    await expect.poll(() => page.locator('.answer h3, .answer h4').count()).toBe(12)
    const removed = (await page.evaluate('globalThis.removed')) as string[]
    // Unfinished text may still turn out to be something else: a line, a row, a mark.
    const finished = removed.filter((gone) => gone.length > 120)
    expect(finished).toEqual([])
  })

  test('keeps few rows in the page, however many entries there are', async () => {
    const agent = await playAgent(stage.client)
    const page = await stage.open(`/sessions/${agent.session}?part=timeline`)
    const pieces = Array.from({ length: 3000 }, (_, n) => agent.text(`${n} `))
    let most = 0
    const look = async (): Promise<number> => {
      const rows = await page.locator('.timeline-row').count()
      most = Math.max(most, rows)
      return rows
    }
    await until(async () => (await look()) > 5)
    await Promise.all(pieces)
    await agent.end()
    await until(async () => {
      await look()
      return (await page.locator('.timeline-row').last().textContent())?.includes('3001') === true
    })
    await page.locator('.timeline-list').evaluate((list) => list.scrollTo({ top: list.scrollHeight / 2 }))
    await until(async () => (await page.locator('.timeline-row').filter({ hasText: 'Text' }).count()) > 10)
    await look()
    expect(most).toBeGreaterThan(5)
    expect(most).toBeLessThanOrEqual(200)
    expect(stage.faults).toEqual([])
  })
})
