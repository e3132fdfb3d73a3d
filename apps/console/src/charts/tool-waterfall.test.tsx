import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { plainSpaces } from './testing/plain-spaces.ts'
import { sampleCall } from './testing/sample-calls.ts'
import { ToolWaterfall } from './tool-waterfall.tsx'

const render = (props: Partial<Parameters<typeof ToolWaterfall>[0]>): string =>
  plainSpaces(renderToStaticMarkup(<ToolWaterfall calls={[]} startAt={0} endAt={10_000} {...props} />))
const onSelect = (): void => {}

describe('<ToolWaterfall>', () => {
  test('says in words that there is nothing, and draws nothing', () => {
    expect(render({ onSelect })).toContain('No tool calls yet.')
    expect(render({ onSelect })).not.toMatch(/<svg|<table|<ol/)
  })

  test.each([
    ['success', sampleCall({ seq: 0, at: 0, durationMs: 5000 }), '5 s, succeeded'],
    ['error', sampleCall({ seq: 0, at: 0, durationMs: 5000 }, { status: 'error' }), '5 s, failed'],
    ['timeout', sampleCall({ seq: 0, at: 0, durationMs: 5000 }, { status: 'timeout' }), '5 s, timed out'],
    ['running', sampleCall({ seq: 0, at: 5000 }), 'running, 5 s so far'],
  ])('tells %s by words, by the shape at the end and by the bar', (state, call, words) => {
    const markup = render({ calls: [call] })
    expect(markup).toContain(`<bdi class="chart-call-outcome">${words}</bdi>`)
    expect(markup).toContain(`<g class="chart-call-${state}">`)
    expect(markup).toMatch(/<rect class="chart-call-bar" x="\d+%" width="50%" y="50%"/)
    expect(markup.includes('fill="url(#')).toBe(state === 'error')
  })

  test('each state ends in a shape of its own', () => {
    const states = ['success', 'error', 'timeout'] as const
    const calls = states.map((status, seq) => sampleCall({ seq, at: 0, durationMs: 5000 }, { status }))
    const markup = render({ calls: [...calls, sampleCall({ seq: 9, at: 0 })] })
    const shapes = [...markup.matchAll(/class="chart-call-end" d="([^"]+)"/g)].map(([, shape]) => shape)
    expect(new Set(shapes).size).toBe(4)
  })

  test('lists overlapping calls in order of start, as buttons where they can be chosen', () => {
    const calls = [
      sampleCall({ seq: 4, at: 3000, durationMs: 100 }),
      sampleCall({ seq: 0, at: 0, durationMs: 9000 }),
      sampleCall({ seq: 0, at: 0, durationMs: 50 }, { call: 'other' }),
    ]
    const markup = render({ calls, onSelect })
    expect([...markup.matchAll(/<bdi class="chart-call-tool">([^<]+)/g)].map(([, tool]) => tool)).toEqual([
      'tool_0',
      'tool_0',
      'tool_4',
    ])
    expect(markup.match(/<button type="button"/g)).toHaveLength(3)
    expect(render({ calls })).not.toContain('<button')
    expect(render({ calls })).toContain('aria-label="Tool calls" tabindex="0"')
  })

  test.each([
    ['no stretch of time', 500, 500],
    ['an end before the start', 900, 100],
    ['no numbers', Number.NaN, Number.NaN],
  ])('draws within its bounds for %s', (_, startAt, endAt) => {
    const markup = render({
      calls: [sampleCall({ seq: 0, at: 500, durationMs: 5 }), sampleCall({ seq: 2, at: 700 })],
      startAt,
      endAt,
    })
    for (const [, x, width] of markup.matchAll(/ x="([\d.]+)%" width="([\d.]+)%"/g))
      expect(Number(x) + Number(width)).toBeLessThanOrEqual(100)
    expect(markup).not.toContain('NaN')
  })

  test('shows the 200 longest of more calls, 120 of them in the table, and says so', () => {
    const calls = Array.from({ length: 340 }, (_, seq) => sampleCall({ seq, at: seq, durationMs: seq }))
    const markup = render({ calls })
    expect(markup).toContain('340 tool calls: 340 succeeded.')
    expect(markup).toContain('Shown are the 200 longest.')
    expect(markup).toContain('<caption>The 120 longest of 340 calls.</caption>')
    expect(markup.match(/<li /g)).toHaveLength(200)
    expect(markup.match(/<th scope="row">/g)).toHaveLength(120)
  })

  test('shows a hostile name as text', () => {
    const markup = render({
      calls: [sampleCall({ seq: 0, at: 0, durationMs: 5 }, { tool: '<img src=x onerror=alert(1)>' })],
    })
    expect(markup).not.toContain('<img')
    expect(markup).toContain('&lt;img src=x onerror=alert(1)&gt;')
  })
})
