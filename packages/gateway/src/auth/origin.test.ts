import { describe, expect, test } from 'vitest'
import { isHostAllowed, isOriginAllowed, type OriginRules } from './origin.ts'

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
