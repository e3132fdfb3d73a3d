import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'

const root = new URL('../../../../', import.meta.url)
const page = readFileSync(new URL('docs/guides/operations.md', root), 'utf8')
const dashboard = JSON.parse(readFileSync(new URL('docs/grafana/sluice.json', root), 'utf8')) as {
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { readonly definition?: string }[] }
} // a file of this repository

interface Panel {
  readonly id: number
  readonly title: string
  readonly type: string
  readonly description?: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string }[]
}

interface RenderedMetric {
  readonly name: string
  readonly type: string
  /** The labels of its first series; none while it has no series. */
  readonly labels: readonly string[]
}

/** The metrics in a Prometheus text. A histogram is one metric, and `le` does not count as its label. */
function metricsIn(text: string): readonly RenderedMetric[] {
  const lines = text.split('\n')
  return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => {
    const suffix = type === 'histogram' ? '_count' : ''
    const series = lines.find((line) => line.startsWith(`${name}${suffix}{`)) ?? ''
    return { name, type, labels: [...series.matchAll(/(\w+)="/g)].map(([, label = '']) => label) }
  })
}

/** Names of metrics in an expression, as they are defined: a histogram has three series. */
function usedIn(expression: string): readonly string[] {
  const bare = expression.replace(/\{[^}]*\}|\[[^\]]*\]|by \([^)]*\)/g, ' ')
  return [...bare.matchAll(/\b(?:sluice|nodejs|process)_\w+/g)].map(([name]) =>
    name.replace(/_(bucket|sum|count)$/, ''),
  )
}

const rows = page
  .split('\n')
  .filter((line) => /^\| `(sluice|nodejs|process)_/.test(line))
  .map((line) => {
    const [, name = '', type = '', labels = '', shown = ''] = line.split('|').map((cell) => cell.trim())
    const isLinuxOnly = line.includes('Linux only')
    return { name: name.replaceAll('`', ''), type, labels: labels.replaceAll('`', ''), shown, isLinuxOnly }
  })
const panels = dashboard.panels.filter(({ type }) => type !== 'row')
const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

const metrics = createMetrics()
metrics.request({ route: '/v1/sessions', method: 'GET', status: 200 }, 0.1)
const defined = metricsIn(await metrics.render())
const names = [...defined, ...rows.filter(({ isLinuxOnly }) => isLinuxOnly)].map(({ name }) => name)

describe('the dashboard', () => {
  test('uses only metrics that exist', () => {
    const variables = dashboard.templating.list.flatMap(({ definition }) => definition ?? [])
    expect(expressions.length).toBeGreaterThan(20)
    for (const expression of [...expressions, ...variables])
      for (const name of usedIn(expression)) expect(names, expression).toContain(name)
  })

  test('uses only labels that the metric has, or that Prometheus adds', () => {
    for (const expression of expressions) {
      const labels = [...expression.matchAll(/(\w+)=~?"|by \(([^)]*)\)/g)].flatMap(([, one, many = '']) =>
        one === undefined ? many.split(', ') : [one],
      )
      const own = usedIn(expression).flatMap((name) =>
        rows.find((row) => row.name === name)?.labels.split(', '),
      )
      for (const label of labels) expect([...own, 'job', 'instance', 'le'], expression).toContain(label)
    }
  })

  test('shows every metric that the guide says it shows, and no other', () => {
    const shown = rows.filter((row) => row.shown === 'yes').map(({ name }) => name)
    expect([...new Set(expressions.flatMap(usedIn))].toSorted()).toEqual(shown.toSorted())
  })

  test('explains every panel, and lays none upon another', () => {
    const taken = new Set<string>()
    for (const { title, description, gridPos } of panels) {
      expect(description, title).toMatch(/\.$/)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x} ${y}`), title).toBe(false)
          taken.add(`${x} ${y}`)
          expect(x).toBeLessThan(24)
        }
    }
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
  })
})

describe('docs/guides/operations.md', () => {
  test('tells every metric with its type, and the labels of our own', () => {
    const isOwn = (name: string): boolean => name.startsWith('sluice_')
    const told = rows.map(({ name, type, labels }) => `${name} ${type} ${isOwn(name) ? labels : ''}`)
    const real = defined.map(
      ({ name, type, labels }) => `${name} ${type} ${isOwn(name) ? labels.join(', ') : ''}`,
    )
    const elsewhere = rows
      .filter(({ name, isLinuxOnly }) => isLinuxOnly && !defined.some((each) => each.name === name))
      .map(({ name, type }) => `${name} ${type} `)
    expect(told.toSorted()).toEqual([...real, ...elsewhere].toSorted())
  })

  test('watches only metrics that exist', () => {
    const section = page.slice(page.indexOf('### What to watch'), page.indexOf('## Logs'))
    const watched = section.split('\n').flatMap((line) => usedIn(line.split('|')[2] ?? ''))
    expect(watched.length).toBeGreaterThan(5)
    for (const name of watched) expect(names).toContain(name)
  })
})
