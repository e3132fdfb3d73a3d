import { describe, expect, test } from 'vitest'
import { createPage, type Wake } from './page.ts'

function start(host = 'gateway.example') {
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  const navigator = { onLine: true }
  const window = Object.assign(new EventTarget(), { document, navigator })
  const page = createPage(window, host)
  const wakes: Wake[] = []
  const stop = page.onWake((wake) => wakes.push(wake))
  const show = (persisted: boolean) =>
    window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }))
  return { document, navigator, window, page, wakes, stop, show }
}

describe('createPage()', () => {
  test('wakes when the page can be seen again, comes back from the cache, or has a network', () => {
    const { document, window, wakes, show } = start()
    document.visibilityState = 'hidden'
    document.dispatchEvent(new Event('visibilitychange'))
    document.visibilityState = 'visible'
    document.dispatchEvent(new Event('visibilitychange'))
    show(false)
    show(true)
    window.dispatchEvent(new Event('online'))
    expect(wakes).toEqual(['visible', 'restored', 'online'])
  })

  test('is quiet after it was stopped', () => {
    const { document, window, wakes, show, stop } = start()
    stop()
    document.dispatchEvent(new Event('visibilitychange'))
    show(true)
    window.dispatchEvent(new Event('online'))
    expect(wakes).toEqual([])
  })

  test.each([
    ['gateway.example', false],
    ['localhost', true],
    ['console.localhost', true],
    ['127.0.0.1', true],
    ['[::1]', true],
    ['localhost.example', false],
  ])('reaches %s without a network: %s', (host, expected) => {
    const { page, navigator } = start(host)
    expect(page.isOnline()).toBe(true)
    navigator.onLine = false
    expect(page.isOnline()).toBe(expected)
  })

  test('is online and never wakes where there is no page', () => {
    const page = createPage({}, 'gateway.example')
    expect(page.isOnline()).toBe(true)
    page.onWake(() => {})()
  })
})
