import { openMeasuredPage } from './measured-page.mjs'
import { places } from './places.mjs'
import { watchScript } from './probes.mjs'

/**
 * Opens every place of a session once. Returns, by `<what is shown> <session>`, the time since the navigation
 * in ms and, by `memory <place> <session>`, what the page then holds.
 */
export async function measureOpening(browser, { url, page, session, count }) {
  const rows = {}
  for (const [place, { query, [page]: tests }] of Object.entries(places)) {
    const script = `globalThis.entryCount = ${count}; ${watchScript(tests)}`
    const opened = await openMeasuredPage(browser, `${url}/sessions/${session}${query(count)}`, script)
    const times = await opened.evaluate('globalThis.shown')
    for (const [what, ms] of Object.entries(times)) rows[`${what} ${session}`] = { ms }
    rows[`memory ${place} ${session}`] = await opened.memory()
    await opened.close()
  }
  return rows
}
