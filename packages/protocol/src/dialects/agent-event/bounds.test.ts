import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../testing/runs.ts'
import {
  boundData,
  droppedData,
  exceedsUtf8,
  maxDataBytes,
  maxMessageBytes,
  maxTextBytes,
  serializedJsonBytes,
  splitUtf8,
  truncateUtf8,
  truncationSuffix,
  utf8Length,
} from './bounds.ts'

const bytesOf = (text: string): number => new TextEncoder().encode(text).length
const anyText = fc.string({ unit: 'binary', maxLength: 60 })

describe('utf8Length()', () => {
  test('counts what an encoder writes, lone surrogates too', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(utf8Length(text)).toBe(bytesOf(text))
      }),
      { numRuns: runs(500) },
    )
    for (const text of ['', '\ud83d', '\ude00', 'a\ud83dé', '💖', '\ud83d\ud83d\ude00']) {
      expect(utf8Length(text)).toBe(bytesOf(text))
    }
  })

  test('agrees with exceedsUtf8() at every bound', () => {
    fc.assert(
      fc.property(anyText, fc.nat(200), (text, bound) => {
        expect(exceedsUtf8(text, bound)).toBe(bytesOf(text) > bound)
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('truncateUtf8()', () => {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz'

  test.each([
    ['4097 a', 'a'.repeat(4097), maxMessageBytes, 'a'.repeat(4082) + truncationSuffix, 4096],
    ['1025 hearts', '💖'.repeat(1025), maxMessageBytes, '💖'.repeat(1020) + truncationSuffix, 4094],
    [
      'x and 2048 é',
      `x${'é'.repeat(2048)}`,
      maxMessageBytes,
      `x${'é'.repeat(2040)}${truncationSuffix}`,
      4095,
    ],
    ['ten hearts in 20 bytes', '💖'.repeat(10), 20, `💖${truncationSuffix}`, 18],
    ['the alphabet in 15 bytes', alphabet, 15, `a${truncationSuffix}`, 15],
    ['the alphabet in 14 bytes', alphabet, 14, '…', 3],
    ['the alphabet in 3 bytes', alphabet, 3, '…', 3],
    ['the alphabet in 2 bytes', alphabet, 2, '', 0],
    ['the alphabet in 0 bytes', alphabet, 0, '', 0],
  ])('cuts %s', (_name, text, bound, expected, bytes) => {
    expect(truncateUtf8(text, bound)).toBe(expected)
    expect(bytesOf(expected)).toBe(bytes)
  })

  test('leaves a text at its bound alone', () => {
    expect(truncateUtf8('a'.repeat(4096), maxMessageBytes)).toBe('a'.repeat(4096))
    expect(truncateUtf8('💖'.repeat(1024), maxMessageBytes)).toBe('💖'.repeat(1024))
  })

  test('cuts a final text of hearts between two of them', () => {
    const cut = truncateUtf8('💖'.repeat(20_000), maxTextBytes)
    expect(cut).toBe('💖'.repeat(16_380) + truncationSuffix)
    expect(bytesOf(cut)).toBeLessThanOrEqual(maxTextBytes)
  })

  test('keeps every bound for every text', () => {
    fc.assert(
      fc.property(anyText, fc.nat(40), (text, bound) => {
        const cut = truncateUtf8(text, bound)
        expect(bytesOf(cut)).toBeLessThanOrEqual(bound)
        expect(cut.isWellFormed()).toBe(true)
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('splitUtf8()', () => {
  test.each([
    ['65537 a', 'a'.repeat(65_537), [65_536, 1]],
    ['a and 16384 hearts', `a${'💖'.repeat(16_384)}`, [65_533, 4]],
    ['40000 hearts', '💖'.repeat(40_000), [65_536, 65_536, 28_928]],
    ['a text at the bound', 'a'.repeat(65_536), [65_536]],
    ['nothing', '', [0]],
  ])('splits %s', (_name, text, sizes) => {
    const pieces = splitUtf8(text, maxTextBytes)
    expect(pieces.map(bytesOf)).toEqual(sizes)
    expect(pieces.join('')).toBe(text)
  })

  test('keeps a code point whole that is larger than the bound', () => {
    expect(splitUtf8('a💖é', 1)).toEqual(['a', '💖', 'é'])
  })

  test('loses nothing, and splits the rest of a text as it split the whole', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 4, max: 40 }), (text, bound) => {
        const pieces = splitUtf8(text, bound)
        expect(pieces.join('')).toBe(text.toWellFormed())
        for (const piece of pieces) expect(bytesOf(piece)).toBeLessThanOrEqual(bound)
        if (pieces.length > 1) expect(splitUtf8(pieces.slice(1).join(''), bound)).toEqual(pieces.slice(1))
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('boundData()', () => {
  test('lets 65536 bytes pass and drops one more', () => {
    const fits = 'a'.repeat(maxDataBytes - 2)
    expect(serializedJsonBytes(fits)).toBe(maxDataBytes)
    expect(boundData(fits)).toBe(fits)
    expect(boundData(`${fits}a`)).toEqual({ dropped: { reason: 'oversize' } })
  })

  test('counts bytes, not characters', () => {
    expect(boundData({ a: 'é'.repeat(32_764) })).toEqual({ a: 'é'.repeat(32_764) })
    expect(boundData({ a: 'é'.repeat(32_765) })).toBe(droppedData)
  })

  test('counts a lone surrogate as the three bytes that replace it', () => {
    expect(serializedJsonBytes('\ud800')).toBe(5)
    expect(serializedJsonBytes({ '\udc00': ['\\ud800'] })).toBe(19)
  })

  test('drops what nests deeper than a reader accepts', () => {
    let deep: object = {}
    for (let n = 0; n < 70; n++) deep = { deep }
    expect(boundData(deep as { readonly [key: string]: null })).toBe(droppedData)
  })
})
