import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../testing/runs.ts'
import { createMessageReader, frameMessage, type Received } from './unix-socket-framing.ts'

const maxBytes = 64

function readAll(chunks: readonly Uint8Array[]): readonly Received[] {
  const reader = createMessageReader(maxBytes)
  return chunks.flatMap((chunk) => reader.push(chunk))
}

function cutAt(bytes: Buffer, places: readonly number[]): readonly Uint8Array[] {
  const cuts = [...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b)
  return cuts.map((cut, index) => bytes.subarray(index === 0 ? 0 : cuts[index - 1], cut))
}

const anyMessage = fc
  .dictionary(fc.constantFrom('a', 'é', '😀'), fc.string({ maxLength: 4, unit: 'grapheme' }), { maxKeys: 1 })
  .map((value) => JSON.stringify(value))

describe('createMessageReader()', () => {
  test.each(['lines', 'prefixed'] as const)('reads %s back over any chunking', (framing) => {
    fc.assert(
      fc.property(fc.array(anyMessage, { minLength: 1 }), fc.array(fc.nat()), (messages, places) => {
        const bytes = Buffer.concat(messages.map((text) => frameMessage(text, framing)))
        expect(readAll(cutAt(bytes, places))).toEqual(messages.map((text) => ({ type: 'message', text })))
      }),
      { numRuns: runs(200) },
    )
  })

  test('never throws, and says nothing behind what broke it', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 })), (chunks) => {
        const received = readAll(chunks)
        const broken = received.findIndex(({ type }) => type === 'broken')
        expect(broken === -1 || broken === received.length - 1).toBe(true)
      }),
      { numRuns: runs(500) },
    )
  })

  test.each([
    ['a line', `{"a":"${'x'.repeat(70)}"}\n`],
    ['a length', '\0\0\0\u0041'],
    ['a length without its bytes', '\0\u007f\u007f\u007f'],
  ])('breaks off at %s over the bound', (_, text) => {
    expect(readAll([Buffer.from(text)])).toEqual([{ type: 'broken', reason: expect.any(String) }])
  })

  test('takes a message of exactly the bound', () => {
    const text = `"${'x'.repeat(maxBytes - 2)}"`
    expect(readAll([frameMessage(text, 'prefixed')])).toEqual([{ type: 'message', text }])
    const line = `{"a":"${'x'.repeat(maxBytes - 8)}"}`
    expect(readAll([frameMessage(line, 'lines')])).toEqual([{ type: 'message', text: line }])
  })

  test('passes over blank lines and empty messages, and tells what is no UTF-8', () => {
    expect(readAll([Buffer.from('\n \n{}\n')])).toEqual([{ type: 'message', text: '{}' }])
    expect(readAll([Buffer.from('\0\0\0\0\0\0\0\u0002{}')])).toEqual([{ type: 'message', text: '{}' }])
    const notUtf8 = Buffer.concat([Buffer.from('{'), Buffer.of(0xff), Buffer.from('}\n')])
    expect(readAll([notUtf8])).toEqual([{ type: 'message', text: undefined }])
    expect(readAll([Buffer.of(0, 0, 0, 1, 0xff)])).toEqual([{ type: 'message', text: undefined }])
  })

  test('does not know a framing that begins otherwise', () => {
    expect(readAll([Buffer.from('GET / HTTP/1.1\r\n')])).toEqual([
      { type: 'broken', reason: expect.stringContaining('neither') },
    ])
  })

  test('reads a large message in single bytes without copying it again and again', () => {
    const reader = createMessageReader(1024 * 1024)
    const bytes = frameMessage(`"${'x'.repeat(300_000)}"`, 'prefixed')
    let count = 0
    for (const byte of bytes) count += reader.push(Uint8Array.of(byte)).length
    expect(count).toBe(1)
  })
})
