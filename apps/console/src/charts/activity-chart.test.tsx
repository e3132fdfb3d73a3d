import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { ActivityChart } from './activity-chart.tsx'
import { plainSpaces } from './testing/plain-spaces.ts'
import { manyColumns, sampleColumns } from './testing/sample-columns.ts'

const render = (props: Partial<Parameters<typeof ActivityChart>[0]>): string =>
  plainSpaces(renderToStaticMarkup(<ActivityChart columns={sampleColumns([])} revision={0} {...props} />))
const three = sampleColumns([{ at: 0, characters: 4 }, { at: 10 }, { at: 1000, characters: 1240 }])
const onSelect = (): void => {}

describe('<ActivityChart>', () => {
  test('says in words that there is nothing, and draws nothing', () => {
    const markup = render({ onSelect })
    expect(markup).toContain('No events yet.')
    expect(markup).not.toMatch(/<svg|<table|<input/)
  })

  test('draws one event as one bar', () => {
    const markup = render({ columns: sampleColumns([{ at: 5, characters: 3 }]), onSelect })
    expect(markup).toContain('1 event with 3 characters.')
    expect(markup).toContain('Events in all, at most 1')
    expect(markup.match(/ d="M0.1 100V0H0.9V100Z"/g)).toHaveLength(2)
  })

  test('draws events and characters, each with its scale, its name and its numbers', () => {
    const markup = render({ columns: three })
    expect(markup).toContain('3 events with 1 244 characters in 1 s, most (1) at 0:00.00.')
    expect(markup).toContain('Characters per 10 ms, at most 1 240')
    for (const [, id] of markup.matchAll(/<svg[^>]* role="img" aria-labelledby="([^"]+)"/g))
      expect(markup).toContain(`<p id="${id}"`)
    expect(markup.match(/<svg/g)).toHaveLength(2)
    expect(markup).toContain('<tr><th scope="row">0:01.00</th><td>1</td><td>1 240</td></tr>')
    expect(markup.match(/<th scope="row">/g)).toHaveLength(3)
  })

  test('marks the selected entry and tells it to the slider', () => {
    const markup = render({ columns: three, selectedSeq: 2, onSelect })
    expect(markup).toContain('class="chart-marker" x1="100.5"')
    expect(markup).toContain('aria-valuetext="0:01.00 to 0:01.01: 1 event, 1 240 characters"')
    expect(markup).toMatch(/<input[^>]* max="100"[^>]* value="100"/)
  })

  test.each([-1, 3, Number.NaN, undefined])('marks nothing for the entry %s', (selectedSeq) => {
    const markup = render({ columns: three, selectedSeq, onSelect })
    expect(markup).not.toContain('chart-marker')
    expect(markup).toContain('aria-valuetext="none selected"')
  })

  test('is for reading alone without onSelect', () => {
    expect(render({ columns: three })).not.toMatch(/<input|chart-readout/)
  })

  test('stays small with 100 000 entries', () => {
    const markup = render({ columns: manyColumns(100_000), onSelect })
    expect(markup.match(/<th scope="row">/g)).toHaveLength(100)
    expect(markup.length).toBeLessThan(30_000)
  })

  test('has no style of its own that a strict policy would refuse', () => {
    expect(render({ columns: three, selectedSeq: 1, onSelect })).not.toMatch(/\sstyle=|<style|<script/)
  })
})
