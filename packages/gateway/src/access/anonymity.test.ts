import { omitUndefined } from '@sluice/protocol'
import { describe, expect, test } from 'vitest'
import { anonymityOf, isForwarded, isOpenTo } from './anonymity.ts'

const config = (fields: { host?: string; hosts?: string[]; anonymous?: boolean } = {}) => ({
  host: fields.host ?? '127.0.0.1',
  hosts: fields.hosts ?? [],
  auth: omitUndefined({ jwt: [], anonymous: fields.anonymous }),
})

describe('who needs no credential', () => {
  test.each([
    [{}, 'direct'],
    [{ host: '::1' }, 'direct'],
    [{ host: '0.0.0.0' }, 'nobody'],
    [{ host: '192.168.0.7' }, 'nobody'],
    [{ hosts: ['localhost:8080', 'sluice.localhost', '127.0.0.2', '[::1]:4747'] }, 'direct'],
    [{ hosts: ['gate.example.org'] }, 'nobody'],
    [{ hosts: ['localhost', 'gate.example.org:8443'] }, 'nobody'],
    [{ hosts: ['box.lan'] }, 'nobody'],
    [{ hosts: ['192.168.0.7'] }, 'nobody'],
    [{ hosts: ['localhost.example.org'] }, 'nobody'],
    [{ hosts: ['not a name'] }, 'nobody'],
    [{ anonymous: false }, 'nobody'],
    [{ anonymous: false, hosts: ['localhost'] }, 'nobody'],
    [{ anonymous: true }, 'everybody'],
    [{ anonymous: true, hosts: ['gate.example.org'] }, 'everybody'],
    [{ anonymous: true, host: '0.0.0.0' }, 'nobody'],
  ])('with %j: %s', (fields, answer) => expect(anonymityOf(config(fields))).toBe(answer))
})

describe('a request', () => {
  const arrived = (headers: Record<string, string>, httpVersion = '1.1') => ({ headers, httpVersion })

  test.each([
    'forwarded',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-forwarded-port',
    'x-forwarded-anything',
    'x-real-ip',
    'via',
    'cf-connecting-ip',
  ])('with %s was passed on', (name) => {
    expect(isForwarded(arrived({ host: 'localhost', [name]: '' }))).toBe(true)
    expect(isOpenTo('direct', arrived({ [name]: '127.0.0.1' }))).toBe(false)
    expect(isOpenTo('everybody', arrived({ [name]: '127.0.0.1' }))).toBe(true)
  })

  test('of HTTP/1.0 comes from a proxy that nobody told anything', () =>
    expect(isOpenTo('direct', arrived({ host: 'localhost' }, '1.0'))).toBe(false))

  test('of a program of this machine is direct', () => {
    const request = arrived({ host: 'localhost', accept: '*/*', 'user-agent': 'curl/8', connection: 'close' })
    expect([isOpenTo('direct', request), isOpenTo('nobody', request)]).toEqual([true, false])
    expect(isOpenTo('direct', { ...request, httpVersion: '2.0' })).toBe(true)
  })
})
