import { SluiceError } from '@sluice/protocol'
import fastify, { LogController } from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { createLogger, logRequest } from './logger.ts'

/** A logger whose lines are recorded. */
function record(level: 'trace' | 'info' = 'trace') {
  const lines: string[] = []
  const logger = createLogger({ level, destination: { write: (line: string) => void lines.push(line) } })
  return { logger, lines, text: () => lines.join(''), last: () => JSON.parse(lines.at(-1) ?? '{}') }
}

describe('createLogger()', () => {
  test('writes lines of JSON with level, time and the fields that are known', () => {
    const { logger, lines, last } = record('info')
    logger.debug('left out')
    logger.info({ session: 'sess_a', count: 3, code: undefined }, 'opened')
    expect(lines).toHaveLength(1)
    expect(last()).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      session: 'sess_a',
      count: 3,
      msg: 'opened',
    })
  })

  test('leaves out every other field and every object, and says how many', () => {
    const { logger, text, last } = record()
    logger.info({ body: 'SENTINEL', SENTINEL: 1, session: { a: 'SENTINEL' }, dialect: 'aaep' }, 'x')
    expect(last()).toMatchObject({ dialect: 'aaep', leftOut: 3 })
    expect(text()).not.toContain('SENTINEL')
  })

  test('holds children to the same fields, however deep', () => {
    const { logger, text, last } = record()
    const child = logger.child({ requestId: 'r1', token: 'SENTINEL' }).child({ cookie: 'SENTINEL' }, {})
    child.warn({ ticket: 'SENTINEL', subject: 'ada' }, 'x')
    expect(last()).toMatchObject({ level: 'warn', requestId: 'r1', subject: 'ada' })
    expect(text()).not.toContain('SENTINEL')
  })

  test('puts no value into a message and no query', () => {
    const { logger, text, last } = record()
    logger.info('of %s', 'SENTINEL')
    logger.info({ count: 1 }, 'of %s', 'SENTINEL')
    logger.info('Route GET:/v1/x?ticket=SENTINEL not found')
    expect(last().msg).toBe('Route GET:/v1/x not found')
    expect(text()).not.toContain('SENTINEL')
  })

  test('cuts long texts', () => {
    const { logger, last } = record()
    logger.info({ subject: 'a'.repeat(10_000) }, 'b'.repeat(10_000))
    expect(last().subject).toHaveLength(257)
    expect(last().msg).toHaveLength(257)
  })

  const parseFailure = (): unknown => {
    try {
      return JSON.parse('SENTINEL')
    } catch (error) {
      return error
    }
  }
  const forged = new Error('x\n    at SENTINEL (a.js:1:1)')
  const renamed = Object.assign(new Error(forged.message), { stack: forged.stack, message: 'other' })
  test.each([
    ['a parser', parseFailure()],
    ['an error with lines like a stack', forged],
    ['an error whose message was changed', renamed],
    ['an error with properties', Object.assign(new Error('a'), { body: 'SENTINEL', code: 'SENTINEL code' })],
    ['an error with a cause', new Error('a', { cause: new Error('SENTINEL') })],
    ['an error of many', new AggregateError([new Error('SENTINEL')], 'SENTINEL')],
    ['an error named by a connection', Object.assign(new Error('a'), { name: 'SENTINEL: a' })],
    ['an object', { message: 'SENTINEL' }],
    ['a text', 'SENTINEL'],
  ])('does not tell the words of %s', (_name, err) => {
    const { logger, text } = record()
    logger.error({ err })
    logger.error({ err }, 'failed')
    if (err instanceof Error) {
      logger.error(err)
      logger.error({ err }, err.message)
    }
    expect(text()).not.toContain('SENTINEL')
    expect(text()).toContain('failed')
  })

  test('tells what an error is, where it was raised, and what is behind it', () => {
    const { logger, last } = record()
    const cause = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    })
    logger.error(new SluiceError('storage_full', { message: 'own words', cause }))
    expect(last()).toMatchObject({
      msg: 'error',
      err: {
        type: 'SluiceError',
        code: 'storage_full',
        message: expect.stringContaining('disk is full'),
        stack: expect.stringMatching(/^at .*logger\.test\.ts/),
        cause: { type: 'Error', code: 'ENOSPC', syscall: 'write' },
      },
    })
  })

  test('stops at a chain of causes without end', () => {
    const { logger, lines } = record()
    const error = new Error('a')
    error.cause = error
    logger.error(error)
    expect(lines).toHaveLength(1)
  })
})

describe('logRequest()', () => {
  test('writes one line, the louder the worse it went', () => {
    const { logger, last } = record()
    const request = { method: 'GET', route: '/v1/sessions/:id', durationMs: 1.23456, requestId: 'r1' }
    logRequest(logger, { ...request, status: 200, subject: 'ada' })
    expect(last()).toMatchObject({ level: 'debug', status: 200, durationMs: 1.235, subject: 'ada' })
    logRequest(logger, { ...request, status: 404, subject: 'ada' })
    expect(last()).toMatchObject({ level: 'info', status: 404 })
    logRequest(logger, { ...request, route: undefined, status: 507, subject: undefined })
    expect(last()).toMatchObject({ level: 'error', status: 507, method: 'GET', requestId: 'r1' })
    expect(last()).not.toHaveProperty('route')
  })
})

describe('the lines that Fastify writes', () => {
  let close: (() => Promise<void>) | undefined
  afterEach(() => close?.())

  test('hold nothing of bodies, queries, headers and unknown addresses', async () => {
    const { logger, lines, text } = record()
    const server = fastify({
      loggerInstance: logger,
      logController: new LogController({ requestIdLogLabel: 'requestId' }),
    })
    close = () => server.close()
    server.post('/sessions/:id', async (request) => {
      request.log.info({ body: request.body, headers: request.headers, query: request.query }, 'handled')
      if (request.headers['x-fail'] === undefined) return 'ok'
      throw new Error(`about ${JSON.stringify(request.body)}`)
    })
    const address = await server.listen({ port: 0, host: '127.0.0.1' })
    const headers = {
      'content-type': 'application/json',
      authorization: 'Bearer SENTINEL',
      cookie: 'a=SENTINEL',
      'user-agent': 'SENTINEL',
      'accept-version': 'SENTINEL',
    }
    const send = async (path: string, body: string, more: Record<string, string> = {}): Promise<number> =>
      (await fetch(`${address}${path}`, { method: 'POST', body, headers: { ...headers, ...more } })).status
    expect(await send('/sessions/a?ticket=SENTINEL', '{"a":"SENTINEL"}')).toBe(200)
    expect(await send('/sessions/a?ticket=SENTINEL', '{"a":"SENTINEL"}', { 'x-fail': '1' })).toBe(500)
    expect(await send('/sessions/a', 'SENTINEL')).toBe(400)
    expect(await send('/nowhere?ticket=SENTINEL', '{}')).toBe(404)
    expect(text()).not.toContain('SENTINEL')
    expect(text()).toContain('"req":{"method":"POST","route":"/sessions/:id"}')
    expect(text()).toContain('"res":{"status":500}')
    expect(lines.filter((line) => line.includes('"requestId":"req-1"')).length).toBeGreaterThan(1)
  })
})
