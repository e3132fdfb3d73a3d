import { type RefObject, useCallback, useEffect, useLayoutEffect, useState } from 'react'

const usualRowHeight = 34
const rowHeightRem = 2.125

/** Where a list is scrolled to, and how much of it is visible. */
export function useScrollPlace(list: RefObject<HTMLElement | null>) {
  const [place, setPlace] = useState({ scrollTop: 0, height: 0 })
  useLayoutEffect(() => {
    const element = list.current
    if (element === null) return
    const look = (): void => {
      const { scrollTop, clientHeight: height } = element
      setPlace((before) =>
        before.scrollTop === scrollTop && before.height === height ? before : { scrollTop, height },
      )
    }
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [list])
  const scrollTo = useCallback((top: number) => list.current?.scrollTo({ top }), [list])
  return { ...place, scrollTo }
}

/** The height of a row in pixels; it follows the reader's text size. */
export function useRowHeight(list: RefObject<HTMLElement | null>): number {
  const [rowHeight, setRowHeight] = useState(usualRowHeight)
  useEffect(() => {
    const measure = (): void => {
      const size = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
      if (list.current !== null && size > 0) setRowHeight(Math.round(size * rowHeightRem))
    }
    measure()
    // No event reports a change of the text size, but it changes the height of the page.
    const observer = new ResizeObserver(measure)
    observer.observe(document.documentElement)
    return () => observer.disconnect()
  }, [list])
  return rowHeight
}
