import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { LagChart } from './lag-chart.tsx'
import { plainSpaces } from './testing/plain-spaces.ts'
import { manyColumns, sampleColumns } from './testing/sample-columns.ts'

const none = sampleColumns([{ at: 0 }])
const render = (lags: readonly number[], columns = none): string => {
  const samples = lags.map((lagMs, seq) => ({ seq, at: seq * 1000, lagMs }))
  return plainSpaces(renderToStaticMarkup(<LagChart samples={samples} columns={columns} revision={0} />))
}

describe('<LagChart>', () => {
  test('says in words that nothing is known, and draws nothing', () => {
    expect(render([])).toContain('no event came live yet.')
    expect(render([])).not.toMatch(/<svg|<table/)
  })

  test('draws a row for what is known alone', () => {
    const markup = render([12])
    expect(markup).toContain('From the log to this page: 1 event, 12 ms late.')
    expect(markup.match(/<svg/g)).toHaveLength(1)
    expect(markup).toContain(
      '<th scope="row">0:00.000</th><td>12 ms</td><td>12 ms</td><td>none</td><td>none</td>',
    )
  })

  test('draws both ways, the median inside the largest', () => {
    const markup = render([10, 40], sampleColumns([{ at: 0, delayMs: 2000 }]))
    expect(markup).toContain('half within 10 ms, 95 % within 40 ms, all 2 events within 40 ms.')
    expect(markup).toContain('From the agent to the log, up to 2 s')
    expect(markup.match(/class="chart-bar-outer"/g)).toHaveLength(2)
    expect(markup.match(/class="chart-bar"/g)).toHaveLength(2)
  })

  test('draws no bar for what came early by the clocks', () => {
    const markup = render([-5, -9])
    expect(markup).toContain('By the clocks 2 events came up to 9 ms before being sent: they differ.')
    expect(markup.match(/ d=""/g)).toHaveLength(2)
  })

  test('stays small with 100 000 entries', () => {
    const markup = render([], manyColumns(100_000))
    expect(markup.match(/<th scope="row">/g)).toHaveLength(100)
    expect(markup.length).toBeLessThan(40_000)
  })
})
