/** Which rows are drawn. */
export interface RowWindow {
  readonly first: number
  /** One past the last row. */
  readonly end: number
}

/** The most rows that are ever in the page, whatever its size. */
export const maxRows = 160
const overscan = 12

/** What shows of a list: `height` of it, from `scrollTop` on. */
export interface Viewport {
  readonly scrollTop: number
  readonly height: number
  readonly rowHeight: number
}

/** The visible rows of `count`, with a few around them for scrolling. */
export function visibleRows({ scrollTop, height, rowHeight }: Viewport, count: number): RowWindow {
  const seen = Math.min(maxRows - 2 * overscan, Math.ceil(height / rowHeight) + 1)
  const top = Math.min(Math.max(0, Math.floor(scrollTop / rowHeight)), Math.max(0, count - 1))
  const first = Math.max(0, top - overscan)
  return { first, end: Math.min(count, top + seen + overscan) }
}

/** Where to scroll to make a row visible; unchanged if it already is. */
export function scrollFor(row: number, { scrollTop, height, rowHeight }: Viewport): number {
  const top = row * rowHeight
  if (top < scrollTop) return top
  return top + rowHeight > scrollTop + height ? top + rowHeight - height : scrollTop
}
