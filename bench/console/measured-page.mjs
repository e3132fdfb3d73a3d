/** Opens an address as a first-time visitor, in a separate renderer. `script` runs before the page's own. */
export async function openMeasuredPage(browser, address, script) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await page.addInitScript(script)
  const cdp = await context.newCDPSession(page)
  // Processor time of the main thread, which excludes whatever else the machine does.
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  await page.goto(address, { waitUntil: 'commit' })
  return {
    /** The value of an expression in the page, awaited. */
    evaluate: (expression) => page.evaluate(expression),
    /** Processor time used by the page's main thread, in ms. */
    async cpuMs() {
      return (await metricsOf(cdp)).TaskDuration * 1000
    },
    /** Heap and nodes after a garbage collection. */
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
