/** Which rows are drawn. */
export interface RowWindow {
  readonly first: number
  /** One past the last row. */
  readonly end: number
}

/** The most rows that are ever in the page, whatever its size. */
export const maxRows = 160
const overscan = 12

/** The rows visible from `scrollTop` on, with a few around them for scrolling. */
export function visibleRows(scrollTop: number, height: number, rowHeight: number, count: number): RowWindow {
  const seen = Math.min(maxRows - 2 * overscan, Math.ceil(height / rowHeight) + 1)
  const top = Math.min(Math.max(0, Math.floor(scrollTop / rowHeight)), Math.max(0, count - 1))
  const first = Math.max(0, top - overscan)
  return { first, end: Math.min(count, top + seen + overscan) }
}

/** Where to scroll to make a row visible; unchanged if it already is. */
export function scrollFor(row: number, scrollTop: number, height: number, rowHeight: number): number {
  const top = row * rowHeight
  if (top < scrollTop) return top
  return top + rowHeight > scrollTop + height ? top + rowHeight - height : scrollTop
}
