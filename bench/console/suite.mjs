import { rm } from 'node:fs/promises'
import { launchChromium } from '../../scripts/launch-chromium.mjs'
import { measureRuns } from '../harness/runs.mjs'
import { makeDirectory } from '../harness/servers.mjs'
import { buildPage } from './build.mjs'
import { measureOpening } from './opening.mjs'
import { formatOpening, formatStreaming } from './rows.mjs'
import { formatSizes } from './sizes.mjs'
import { startStage } from './stage.mjs'
import { measureStreaming } from './streaming.mjs'

/** Two ended sessions, and a long one that is still open. */
const sessions = { small: 'sess_small', long: 'sess_long', open: 'sess_open' }

/** What is open while events arrive: the page, its query, and whether the session is already long. */
const streams = {
  floor: { page: 'floor', query: '?live', isLong: false },
  answer: { page: 'console', query: '', isLong: false },
  timeline: { page: 'console', query: '?part=timeline', isLong: false },
  'answer, long session': { page: 'console', query: '', isLong: true },
  'timeline, long session': { page: 'console', query: '?part=timeline', isLong: true },
}

/** The cost of the console: script to load, time and memory to show a session, processor time as it runs. */
export const consoleSuite = {
  name: 'console',
  summary: 'the console with a session of 100 000 entries and while events come, against bare pages',
  async run({ runs, isQuick }) {
    const [console, floor, react] = await Promise.all(['console', 'floor', 'react'].map(buildPage))
    const directory = await makeDirectory()
    const size = { small: 100, long: isQuick ? 10_000 : 100_000, seconds: isQuick ? 2 : 5 }
    const work = { ...size, directory, pages: { console, floor } }
    process.stderr.write('console: filling the sessions\n')
    await fill(work)
    const browser = await launchChromium()
    const measure = (page, run) => measurePage(browser, work, page, run)
    const found = await measureRuns({ suite: 'console', runs, names: ['floor', 'console'], measure })
    const version = browser.version()
    await browser.close()
    await rm(directory, { recursive: true, force: true })
    return [
      await formatSizes(console, react),
      formatOpening(found, sessions, size),
      formatStreaming(found, Object.keys(streams), size),
      `Chromium ${version} without a window and without a graphics processor, 1280 × 900.`,
    ].join('\n\n')
  },
}

async function fill({ small, long, directory, pages }) {
  const stage = await startStage(directory, pages.floor)
  await stage.fill({ session: sessions.small, count: small, isEnded: true })
  await stage.fill({ session: sessions.long, count: long, isEnded: true })
  await stage.fill({ session: sessions.open, count: long, isEnded: false })
  await stage.stop()
}

async function measurePage(browser, work, page, run) {
  const stage = await startStage(work.directory, work.pages[page])
  const rows = {}
  // The first pass fills the gateway's caches of sessions and files.
  for (const isCounted of [false, true])
    for (const name of ['small', 'long']) {
      const opening = { url: stage.url, page, session: sessions[name], count: work[name] }
      const found = await measureOpening(browser, opening)
      if (isCounted) Object.assign(rows, found)
    }
  for (const [index, [name, stream]] of Object.entries(streams).entries()) {
    if (stream.page !== page) continue
    const session = stream.isLong ? sessions.open : `sess_new${index}x${run}`
    if (!stream.isLong) await stage.fill({ session, count: 1, isEnded: false })
    const streaming = { ...stream, session, seconds: work.seconds, stage }
    rows[`stream ${name}`] = await measureStreaming(browser, streaming)
  }
  await stage.stop()
  return rows
}
