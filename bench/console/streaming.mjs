import { openMeasuredPage } from './measured-page.mjs'
import { smoothnessScript } from './probes.mjs'

export const perSecond = 200
const lookEveryMs = 20
const longestWaitMs = 60_000

/** The number of the last entry that a page shows. */
const reached = {
  console: `Number(document.querySelector('.slider')?.max ?? -1)`,
  floor: `Number(document.querySelector('pre')?.dataset.seq ?? -1)`,
}

/**
 * Streams events into a session that is open in a page: first to measure what they cost its main thread, then
 * again to measure how smooth the page stays. Frames are watched separately, because a page whose frames are
 * watched draws all the time.
 */
export async function measureStreaming(browser, { stage, page, query, session, seconds }) {
  const opened = await openMeasuredPage(browser, `${stage.url}/sessions/${session}${query}`, smoothnessScript)
  const stream = async (count) => {
    const last = await stage.stream({ session, perSecond, count })
    const deadline = performance.now() + longestWaitMs
    while ((await opened.evaluate(reached[page])) < last) {
      if (performance.now() > deadline) throw new Error(`entry ${last} of ${session} is not shown`)
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
    }
  }
  const count = perSecond * seconds
  // Waits for the page to show the session, and warms up V8.
  await stream(2 * perSecond)

  await opened.evaluate('smoothness.begin({ frames: false })')
  const before = await opened.cpuMs()
  await stream(count)
  const after = await opened.cpuMs()
  const { longTasks, longTasksMs } = await opened.evaluate('smoothness.end()')

  await opened.evaluate('smoothness.begin({ frames: true })')
  await stream(count)
  const { longestFrameMs } = await opened.evaluate('smoothness.end()')

  const memory = await opened.memory()
  await opened.close()
  return { eventUs: ((after - before) * 1000) / count, longTasks, longTasksMs, longestFrameMs, ...memory }
}
