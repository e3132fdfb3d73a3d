import { SluiceError } from '@sluice/protocol'
import { describe, expect, test } from 'vitest'
import { createChannel } from './channel.ts'
import type { Signal } from './transport.ts'

const frame = (cursor: string): Signal => ({ type: 'frame', cursor, frame: {} })

describe('createChannel()', () => {
  test('hands over together what came since the last time', async () => {
    const channel = createChannel(100)
    const first = channel.take()
    channel.push([frame('0')], 1)
    expect(await first).toEqual([frame('0')])
    channel.push([frame('1')], 1)
    channel.push([frame('2'), frame('3')], 1)
    expect(await channel.take()).toEqual([frame('1'), frame('2'), frame('3')])
  })

  test('tells that it is full, drops what comes then, and ends behind what it holds', async () => {
    const channel = createChannel(100)
    expect(channel.push([frame('0')], 100)).toBe(true)
    expect(channel.push([frame('1')], 1)).toBe(false)
    expect(channel.push([frame('2')], 1)).toBe(false)
    expect(await channel.take()).toEqual([frame('0'), frame('1')])
    expect(await channel.take()).toBeUndefined()
  })

  test('counts only what waits', async () => {
    const channel = createChannel(100)
    for (let i = 0; i < 10; i++) {
      expect(channel.push([frame(String(i))], 90)).toBe(true)
      await channel.take()
    }
  })

  test('fails behind what it holds, and wakes who waits', async () => {
    const channel = createChannel(100)
    const error = new SluiceError('gateway_unreachable')
    channel.push([frame('0')], 1)
    channel.fail(error)
    expect(await channel.take()).toEqual([frame('0')])
    await expect(channel.take()).rejects.toBe(error)
    const other = createChannel(100)
    const waiting = other.take()
    other.fail(error)
    await expect(waiting).rejects.toBe(error)
  })
})
