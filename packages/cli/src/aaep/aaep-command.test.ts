import { describe, expect, test } from 'vitest'
import { runSluice } from '../testing/run-sluice.ts'

const nowhere = ['--gateway', 'http://127.0.0.1:9']
const ping = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, method: 'aaep.ping' })

describe('sluice aaep', () => {
  test('answers line by line and ends with its input', async () => {
    const { code, stdout, stderr } = await runSluice(
      ['aaep', '--stdio', ...nowhere],
      `${ping(1)}\nno JSON\n${ping(2)}`,
    )
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(answers).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'This is not one JSON value.' } },
      { jsonrpc: '2.0', id: 2, result: {} },
    ])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  test('tells the subscriber that no gateway answers', async () => {
    const request = { aaep_version: '1.0.0', subscriber_id: 'reader', capabilities: {} }
    const line = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'aaep.subscribe', params: request })
    const { code, stdout } = await runSluice(['aaep', '--stdio', ...nowhere], line)
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, error: { data: { code: 'gateway_unreachable' } } })
    expect(code).toBe(0)
  })

  test.each([[[]], [['--stdio', 'more']]])('with %j says how it is used', async (args) => {
    const { code, stderr } = await runSluice(['aaep', ...args])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'sluice: Usage: sluice aaep --stdio. See: sluice aaep --help\n',
    })
  })
})
