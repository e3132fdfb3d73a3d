import { describe, expect, test } from 'vitest'
import { addressBeside } from './address-beside.ts'

describe('addressBeside()', () => {
  test.each([
    ['the docs', 'https://a.b/c'],
    ['https://a.b/c.html', 'https://a.b/c.html'],
    ['a.b', 'https://a.b/'],
    ['a.b/c/d.html?e=f.g', 'https://a.b/c'],
    ['www.a.b', 'https://a.b/'],
    ['See a.b, please', 'https://www.a.b/'],
    ['A.B', 'https://a.b/'],
    ['version 1.2.3, e.g', 'https://e.g/'],
    ['a@b.co', 'mailto:a@b.co'],
    ['👩‍💻 Docs', 'https://a.b/'],
    ['', 'https://a.b/'],
  ])('leaves %j alone', (label, href) => expect(addressBeside(label, href)).toBeUndefined())

  test.each([
    ['bank.com', 'https://evil.org/', 'evil.org'],
    ['https://bank.com/login', 'https://evil.org:8080/bank.com', 'evil.org:8080'],
    ['Go to bank.com now', 'https://evil.org/', 'evil.org'],
    ['bank\u200b.com', 'https://evil.org/', 'evil.org'],
    ['bank。com', 'https://evil.org/', 'evil.org'],
    ['ｂａｎｋ．ｃｏｍ', 'https://evil.org/', 'evil.org'],
    ['1.2.3.4', 'https://evil.org/', 'evil.org'],
    ['\u202emoc.knab', 'https://bank.com/', 'bank.com'],
    ['\u2067the docs\u2069', 'https://evil.org/', 'evil.org'],
    ['https://bank.com', 'https://bank.com@evil.org/', 'evil.org'],
    ['https://bank.com@evil.org', 'https://evil.org/', 'evil.org'],
    ['the bank', 'https://bank.com@evil.org/', 'evil.org'],
    ['аррӏе.com', 'https://xn--80ak6aa92e.com/', 'xn--80ak6aa92e.com'],
    ['boss@bank.com', 'mailto:eve@evil.org', 'eve@evil.org'],
    [`bank.com${' '.repeat(300)}x`, 'https://evil.org/', 'evil.org'],
    [`evil.org ${'x'.repeat(300)} bank.com`, 'https://evil.org/', 'evil.org'],
  ])('shows where %j leads', (label, href, expected) => expect(addressBeside(label, href)).toBe(expected))
})
