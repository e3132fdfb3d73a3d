/** Opens an address as somebody who was never there, in a renderer of its own. `script` runs before anything of the page. */
export async function openMeasuredPage(browser, address, script) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await page.addInitScript(script)
  const cdp = await context.newCDPSession(page)
  // Processor time of the main thread: what else the machine does is not in it.
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  await page.goto(address, { waitUntil: 'commit' })
  return {
    /** The value of an expression in the page, awaited. */
    evaluate: (expression) => page.evaluate(expression),
    /** Processor time that the page's main thread has used, in ms. */
    async cpuMs() {
      return (await metricsOf(cdp)).TaskDuration * 1000
    },
    /** What is left after collecting garbage. */
    async memory() {
      await cdp.send('HeapProfiler.collectGarbage')
      const { JSHeapUsedSize, Nodes } = await metricsOf(cdp)
      return { heapMegabytes: JSHeapUsedSize / 1e6, nodes: Nodes }
    },
    close: () => context.close(),
  }
}

async function metricsOf(cdp) {
  const { metrics } = await cdp.send('Performance.getMetrics')
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]))
}
