import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseTraceContext } from './trace-context.ts'

const runs = (base: number): number => base * Number(process.env['SLUICE_ROUNDS'] ?? 1)

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const parent = '00f067aa0ba902b7'
const valid = `00-${trace}-${parent}-01`
/** A valid tracestate of 508 characters. */
const long = `a=${'x'.repeat(252)},b=${'x'.repeat(251)}`
const hex = (length: number): fc.Arbitrary<string> =>
  fc
    .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length })
    .filter((text) => !/^0+$/.test(text))

describe('parseTraceContext()', () => {
  test('keeps a valid traceparent with its tracestate', () => {
    expect(parseTraceContext(valid, 'rojo=00f067aa0ba902b7, congo=t61rcWkgMzE')).toEqual({
      traceparent: valid,
      tracestate: 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
    })
    expect(parseTraceContext(` ${valid}\t`, undefined)).toEqual({ traceparent: valid })
  })

  test.each([
    undefined,
    '',
    valid.toUpperCase(),
    `ff-${trace}-${parent}-01`,
    `00-${'0'.repeat(32)}-${parent}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `${valid}-more`,
    `${valid}-`,
    `${valid}.`,
    `0-${trace}-${parent}-01`,
    `00-${trace}-${parent}-1`,
    `00-${trace}-${parent}`,
    `00_${trace}_${parent}_01`,
    `${valid}, ${valid}`,
    `cc-${trace}-${parent}-01-${'a'.repeat(256)}`,
  ])('ignores the traceparent %j', (text) => {
    expect(parseTraceContext(text, 'a=1')).toBeUndefined()
  })

  test.each([
    [`cc-${trace}-${parent}-01-what-the-future-adds`, valid],
    [`cc-${trace}-${parent}-fe`, `00-${trace}-${parent}-00`],
    [`00-${trace}-${parent}-03`, `00-${trace}-${parent}-03`],
  ])('reads %s as %s', (text, traceparent) => {
    expect(parseTraceContext(text, undefined)).toEqual({ traceparent })
  })

  test.each([
    '',
    ',',
    'a',
    'a=',
    '=1',
    'A=1',
    'a=1,a=2',
    'a=1;b=é',
    'a==1',
    `a=${'b'.repeat(257)}`,
    `${long},c=12`,
    Array.from({ length: 33 }, (_, at) => `k${at}=1`).join(','),
  ])('leaves out the tracestate %j and keeps the rest', (tracestate) => {
    expect(parseTraceContext(valid, tracestate)).toEqual({ traceparent: valid })
  })

  test('takes members of other tenants, empty ones between, and as many as there may be', () => {
    expect(parseTraceContext(valid, 'fw529a3039@dt=FfAb c,,*/=1')).toBeDefined()
    expect(parseTraceContext(valid, 'a@b=1 2,\t,c=3 ')?.tracestate).toBe('a@b=1 2,c=3')
    expect(parseTraceContext(valid, `${long},c=1`)?.tracestate).toHaveLength(512)
    const many = Array.from({ length: 32 }, (_, at) => `k${at}=1`).join(',')
    expect(parseTraceContext(valid, many)?.tracestate).toBe(many)
  })

  test('gives back any valid pair of ids, and reads its own answer as the same', () => {
    fc.assert(
      fc.property(hex(32), hex(16), hex(2), fc.string(), (traceId, parentId, flags, state) => {
        const read = parseTraceContext(`00-${traceId}-${parentId}-${flags}`, state)
        expect(read?.traceparent).toBe(`00-${traceId}-${parentId}-${flags}`)
        expect(parseTraceContext(read?.traceparent, read?.tracestate)).toEqual(read)
      }),
      { numRuns: runs(500) },
    )
  })

  test('never throws, and never answers more than it bounds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
        expect(parseTraceContext(one, other)?.traceparent ?? '').not.toContain(' ')
        expect(parseTraceContext(valid, other)?.tracestate?.length ?? 0).toBeLessThanOrEqual(512)
      }),
      { numRuns: runs(500) },
    )
  })
})
