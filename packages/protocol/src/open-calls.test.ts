import { describe, expect, test } from 'vitest'
import { findCall, findEndedCall, freshCall, type OpenCall, withoutCall } from './open-calls.ts'
import { createSessionState } from './session-state.ts'
import { settle } from './settle.ts'

const calls: readonly OpenCall[] = [
  { call: 'call_1', tool: 'search' },
  { id: 'x', call: 'x', tool: 'search' },
  { call: 'call_3', tool: 'edit' },
]

describe('findCall()', () => {
  test.each([
    ['by its id', { id: 'x' }, 'x'],
    ['the oldest of its tool', { tool: 'search' }, 'call_1'],
    ['the oldest of all without a name', {}, 'call_1'],
    ['none of another id', { id: 'call_1' }, undefined],
    ['none of another tool', { tool: 'shell' }, undefined],
  ])('finds %s', (_name, name, call) => {
    expect(findCall(calls, name)?.call).toBe(call)
  })
})

describe('findEndedCall()', () => {
  test.each([
    ['one that began without an id by its tool', { id: 'y', tool: 'edit' }, 'call_3'],
    ['none with another id', { id: 'y', tool: 'shell' }, undefined],
    ['the one of its id first', { id: 'x', tool: 'edit' }, 'x'],
  ])('finds %s', (_name, name, call) => {
    expect(findEndedCall(calls, name)?.call).toBe(call)
  })
})

test('withoutCall() leaves out one call and keeps the order', () => {
  expect(withoutCall(calls, 'x').map(({ call }) => call)).toEqual(['call_1', 'call_3'])
})

test('freshCall() takes the id of the wire if it is free, and a new one otherwise', () => {
  const empty = createSessionState({ id: 'sess_a' })
  expect(freshCall(empty, 'x')).toBe('x')
  expect(freshCall(empty, undefined)).toBe('call_0')
  const { state } = settle(empty, [
    { kind: 'tool-call', call: 'x', tool: 'a' },
    { kind: 'tool-call', call: 'call_0', tool: 'a' },
  ])
  expect(freshCall(state, 'x')).toBe('x.3')
  expect(freshCall(state, undefined)).toBe('call_0.3')
})
