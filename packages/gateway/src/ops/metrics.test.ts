import { dialects } from '@sluice/protocol/dialects'
import { describe, expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'

const lineOf = (text: string, start: string): string | undefined =>
  text.split('\n').find((line) => line.startsWith(start))

describe('createMetrics()', () => {
  test('counts what came in and what went out', async () => {
    const metrics = createMetrics()
    metrics.ingested('aaep', 'accepted', 3)
    metrics.ingested('aaep', 'accepted', 2)
    metrics.ingested('aaep', 'refused', 1)
    metrics.delivered({ transport: 'sse', dialect: 'a2a', frames: 4, bytes: 512 })
    metrics.appended(0.003, 5)
    metrics.request({ route: '/v1/sessions/:id/events', method: 'POST', status: 200 }, 0.02)
    const text = await metrics.render()
    expect(text).toContain('sluice_ingest_events_total{dialect="aaep",verdict="accepted"} 5\n')
    expect(text).toContain('sluice_ingest_events_total{dialect="aaep",verdict="refused"} 1\n')
    expect(text).toContain('sluice_delivered_frames_total{transport="sse",dialect="a2a"} 4\n')
    expect(text).toContain('sluice_delivered_bytes_total{transport="sse",dialect="a2a"} 512\n')
    expect(text).toContain('sluice_append_seconds_bucket{le="0.0025"} 0\n')
    expect(text).toContain('sluice_append_seconds_bucket{le="0.005"} 1\n')
    expect(text).toContain('sluice_appended_records_total 5\n')
    expect(text).toContain(
      'sluice_http_request_seconds_count{route="/v1/sessions/:id/events",method="POST",status="200"} 1\n',
    )
    expect(metrics.contentType).toContain('text/plain')
  })

  test('shows every dialect, verdict and transport before anything happened', async () => {
    const text = await createMetrics().render()
    for (const { id } of dialects) {
      for (const verdict of ['accepted', 'duplicate', 'refused'])
        expect(text).toContain(`sluice_ingest_events_total{dialect="${id}",verdict="${verdict}"} 0\n`)
      for (const transport of ['sse', 'ndjson', 'ws', 'unix'])
        expect(text).toContain(`sluice_delivered_frames_total{transport="${transport}",dialect="${id}"} 0\n`)
    }
  })

  test('reads what is watched when it is rendered, and 0 before', async () => {
    const metrics = createMetrics()
    expect(lineOf(await metrics.render(), 'sluice_open_sessions ')).toBe('sluice_open_sessions 0')
    let sessions = 7
    metrics.watch({
      subscribers: () => ({ sse: 1, ndjson: 2, ws: 3, unix: 4 }),
      stalled: () => 4,
      maxLag: () => 5,
      openSessions: () => sessions,
      openQuestions: () => 6,
      pendingBytes: () => 8,
      upstreams: () => ({ connected: 2, waiting: 1 }),
      runs: () => ({ active: 3, queued: 4 }),
    })
    sessions = 9
    const text = await metrics.render()
    expect(text).toContain('sluice_subscribers{transport="ndjson"} 2\n')
    expect(lineOf(text, 'sluice_stalled_subscribers ')).toBe('sluice_stalled_subscribers 4')
    expect(lineOf(text, 'sluice_max_lag_entries ')).toBe('sluice_max_lag_entries 5')
    expect(lineOf(text, 'sluice_open_sessions ')).toBe('sluice_open_sessions 9')
    expect(lineOf(text, 'sluice_open_questions ')).toBe('sluice_open_questions 6')
    expect(lineOf(text, 'sluice_pending_bytes ')).toBe('sluice_pending_bytes 8')
  })

  test('keeps labels few, whatever peers send', async () => {
    const metrics = createMetrics()
    for (let at = 0; at < 1000; at++) {
      metrics.ingested(`SECRET${at}`, 'accepted', 1)
      metrics.delivered({ transport: 'ws', dialect: `SECRET${at}`, frames: 1, bytes: 1 })
      metrics.request({ route: '/v1/sessions', method: `SECRET${at}`, status: 1000 + at }, 0.1)
      metrics.request({ route: `/route/${at}`, method: 'GET', status: 200 }, 0.1)
    }
    const text = await metrics.render()
    expect(text).not.toContain('SECRET')
    expect(text).toContain('sluice_ingest_events_total{dialect="other",verdict="accepted"} 1000\n')
    expect(text).toContain(
      'sluice_http_request_seconds_count{route="/v1/sessions",method="other",status="other"} 1000\n',
    )
    const routes = new Set([...text.matchAll(/route="([^"]*)"/g)].map(([, route]) => route))
    expect(routes.size).toBe(129)
    expect(routes).toContain('other')
  })

  test('tells of the process and its event loop too', async () => {
    const names = [...(await createMetrics().render()).matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name)
    expect(names).toEqual(
      expect.arrayContaining([
        'nodejs_eventloop_lag_p99_seconds',
        'process_cpu_seconds_total',
        'process_resident_memory_bytes',
      ]),
    )
  })

  test('shares nothing with other metrics of the same process', async () => {
    const [one, other] = [createMetrics(), createMetrics()]
    one.appended(0.1, 3)
    expect(lineOf(await other.render(), 'sluice_appended_records_total ')).toBe(
      'sluice_appended_records_total 0',
    )
  })
})
