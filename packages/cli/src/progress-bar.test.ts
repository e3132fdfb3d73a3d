import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { guardTerminal } from './guard-terminal.ts'
import type { Terminal } from './io.ts'
import { createProgressBar, formatProgress } from './progress-bar.ts'

function createScreen(isTTY: boolean): Terminal & { text: () => string } {
  let text = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk)
      done()
    },
  })
  return { ...guardTerminal(Object.assign(stream, { isTTY })), text: () => text }
}

test('shows share, rate and remaining time', () => {
  expect(formatProgress(50_000_000, 100_000_000, 5000)).toBe(
    '[############------------] 50 %  10.0 MB/s  0:05 left',
  )
})

test('draws at most ten times a second, and clears itself', () => {
  const screen = createScreen(true)
  let time = 0
  const bar = createProgressBar({ stderr: screen, clock: { monotonic: () => time } }, 1000)
  bar.advance(1)
  expect(screen.text()).toBe('')
  time = 150
  bar.advance(500)
  bar.advance(501)
  expect(screen.text().match(/\[#/g)).toHaveLength(1)
  bar.clear()
  expect(screen.text().endsWith('\r\u001b[K')).toBe(true)
})

test('draws nothing in a pipe', () => {
  const screen = createScreen(false)
  const bar = createProgressBar({ stderr: screen, clock: { monotonic: () => 1e6 } }, 1000)
  bar.advance(500)
  bar.clear()
  expect(screen.text()).toBe('')
})
