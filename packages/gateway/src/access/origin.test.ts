import { describe, expect, test } from 'vitest'
import { isHostAllowed, isOriginAllowed, isSiteAllowed, type OriginRules } from './origin.ts'

const loopback: OriginRules = { isLoopback: true, isSecure: false, hosts: [], origins: [] }
const open: OriginRules = { ...loopback, isLoopback: false }

describe('a Host header', () => {
  test.each([
    ['localhost', loopback, true],
    ['localhost:4747', loopback, true],
    ['LOCALHOST:4747', loopback, true],
    ['localhost.:4747', loopback, true],
    ['127.0.0.1:4747', loopback, true],
    ['[::1]:4747', loopback, true],
    ['evil.example', loopback, false],
    ['evil.example:4747', loopback, false],
    ['localhost.evil.example', loopback, false],
    ['127.0.0.1.evil.example', loopback, false],
    ['evil.example#localhost', loopback, false],
    ['user@localhost', loopback, false],
    ['localhost, evil.example', loopback, false],
    ['192.168.0.7', loopback, false],
    ['', loopback, false],
    [undefined, loopback, false],
    ['box.lan:4747', { ...loopback, hosts: ['box.lan'] }, true],
    ['box.lan:1', { ...loopback, hosts: ['box.lan:4747'] }, false],
    ['box.lan:4747', { ...loopback, hosts: ['box.lan:4747'] }, true],
    ['localhost', { ...loopback, hosts: ['box.lan'] }, true],
    ['anything.example', open, true],
    [undefined, open, false],
    ['gate.example', { ...open, hosts: ['Gate.example'] }, true],
    ['other.example', { ...open, hosts: ['gate.example'] }, false],
    ['localhost', { ...open, hosts: ['gate.example'] }, false],
  ])('%j under %j is answered with %s', (host, rules, answer) => {
    expect(isHostAllowed(host, rules)).toBe(answer)
  })
})

describe('an Origin header', () => {
  const secure = { ...open, isSecure: true }
  const listed = { ...open, origins: ['https://app.example', 'https://Other.example:8443'] }
  test.each([
    [undefined, 'gate.example', open, true],
    ['http://localhost:4747', 'localhost:4747', loopback, true],
    ['http://localhost:3000', 'localhost:4747', loopback, false],
    ['http://127.0.0.1:4747', 'localhost:4747', loopback, false],
    ['http://[::1]:4747', '[::1]:4747', loopback, true],
    ['http://gate.example', 'gate.example', open, true],
    ['http://gate.example', 'gate.example:80', open, true],
    ['https://gate.example', 'gate.example:443', open, true],
    ['https://gate.example', 'gate.example', open, true],
    ['https://gate.example', 'gate.example:80', open, false],
    ['http://gate.example', 'gate.example', secure, false],
    ['https://gate.example', 'gate.example', secure, true],
    ['https://evil.example', 'gate.example', open, false],
    ['https://gate.example.evil.example', 'gate.example', open, false],
    ['https://gate.example@evil.example', 'gate.example', open, false],
    ['https://app.example', 'gate.example', listed, true],
    ['https://app.example:443', 'gate.example', listed, true],
    ['https://other.example:8443', 'gate.example', listed, true],
    ['https://other.example', 'gate.example', listed, false],
    ['http://app.example', 'gate.example', listed, false],
    ['null', 'gate.example', { ...open, origins: ['null'] }, false],
    ['', 'gate.example', open, false],
    ['file://', 'gate.example', open, false],
    ['https://gate.example', undefined, open, false],
    ['chrome-extension://abc', 'abc', open, false],
  ])('%j to %j under %j is answered with %s', (origin, host, rules, answer) => {
    expect(isOriginAllowed(origin, host, rules)).toBe(answer)
  })
})

describe('a request of a browser', () => {
  const listed = { ...loopback, origins: ['https://app.example'] }
  const host = 'localhost:4747'
  const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  const isAllowed = (
    headers: Record<string, string>,
    { isPage = false }: { readonly isPage?: boolean | undefined } = {},
  ) => isSiteAllowed({ headers, host, isPage }, listed)

  test('is told from one of another program, which says nothing', () => expect(isAllowed({})).toBe(true))

  test.each(['same-origin', 'none'])('from %s passes', (site) =>
    expect(isAllowed({ 'sec-fetch-site': site, ...navigation })).toBe(true),
  )

  test.each(['same-site', 'cross-site', 'anything', ''])('from %j is refused, also by a link', (site) => {
    for (const [mode, dest] of [
      ['no-cors', 'image'],
      ['no-cors', 'script'],
      ['cors', 'empty'],
      ['navigate', 'iframe'],
      ['navigate', 'document'],
      ['websocket', 'websocket'],
    ] as const)
      expect(isAllowed({ 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest })).toBe(
        false,
      )
  })

  test('from elsewhere comes to a page by a link alone', () => {
    const from = { 'sec-fetch-site': 'cross-site' }
    expect(isAllowed({ ...from, ...navigation }, { isPage: true })).toBe(true)
    for (const dest of ['iframe', 'frame', 'embed', 'object', 'image', 'empty'])
      expect(isAllowed({ ...from, ...navigation, 'sec-fetch-dest': dest }, { isPage: true })).toBe(false)
    expect(
      isAllowed({ ...from, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'document' }, { isPage: true }),
    ).toBe(false)
  })

  test('with an Origin is judged by that', () => {
    const from = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }
    expect(isAllowed({ ...from, origin: 'https://app.example' })).toBe(true)
    expect(isAllowed({ ...from, origin: 'https://evil.example' })).toBe(false)
    expect(isAllowed({ ...navigation, origin: 'https://evil.example' }, { isPage: true })).toBe(false)
    expect(isAllowed({ 'sec-fetch-site': 'same-origin', origin: 'http://localhost:4747' })).toBe(true)
  })
})
