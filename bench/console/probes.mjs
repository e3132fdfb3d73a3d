// Code that runs in a measured page. Each function is sent there as source, so it may use nothing outside
// itself.

const longestWaitMs = 120_000

/** A script that records, for each name, when its test first holds and the page has been drawn since. */
export function watchScript(tests) {
  const entries = Object.entries(tests).map(([name, test]) => `${JSON.stringify(name)}: ${test}`)
  return `globalThis.shown = (${watch})({ ${entries.join(', ')} }, ${longestWaitMs})`
}

/** A script that records tasks of more than 50 ms and, on demand, the longest time between two frames. */
export const smoothnessScript = `globalThis.smoothness = (${watchSmoothness})()`

function watch(tests, waitMs) {
  const times = {}
  let missing = Object.keys(tests)
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`not shown: ${missing.join(', ')}`)), waitMs)
    const look = () => {
      const found = missing.filter((name) => tests[name]())
      missing = missing.filter((name) => !found.includes(name))
      // The next task comes after this frame's layout and painting.
      if (found.length > 0)
        setTimeout(() => {
          for (const name of found) times[name] = performance.now()
          if (Object.keys(times).length === Object.keys(tests).length) resolve(times)
        })
      if (missing.length > 0) requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
}

function watchSmoothness() {
  const found = { longTasks: 0, longTasksMs: 0, longestFrameMs: 0 }
  let lastFrame
  let isWatchingFrames = false
  const note = (entries) => {
    for (const { duration } of entries) {
      found.longTasks += 1
      found.longTasksMs += duration
    }
  }
  const observer = new PerformanceObserver((list) => note(list.getEntries()))
  observer.observe({ type: 'longtask' })
  const frame = (now) => {
    if (!isWatchingFrames) return
    if (lastFrame !== undefined) found.longestFrameMs = Math.max(found.longestFrameMs, now - lastFrame)
    lastFrame = now
    requestAnimationFrame(frame)
  }
  return {
    begin({ frames }) {
      observer.takeRecords()
      Object.assign(found, { longTasks: 0, longTasksMs: 0, longestFrameMs: 0 })
      lastFrame = undefined
      isWatchingFrames = frames
      if (frames) requestAnimationFrame(frame)
    },
    end() {
      note(observer.takeRecords())
      isWatchingFrames = false
      return { ...found }
    },
  }
}
