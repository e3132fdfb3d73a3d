/** Content that is cut off or outside the page. Runs in the page. */
export function findLostContent(): readonly string[] {
  /** Excerpts: the page they lead to has the whole text. */
  const excerpts = '.session-title, .live-text, .caption, .timeline-row, .chart-call-tool'
  const lost: string[] = []
  const width = document.documentElement.clientWidth
  const told = (element: Element): string =>
    `${element.tagName}.${element.className}: ${(element.textContent ?? '').trim().slice(0, 40)}`
  if ((document.scrollingElement?.scrollWidth ?? 0) > innerWidth) lost.push('the page scrolls sideways')

  const isHidden = (element: Element): boolean =>
    !element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) ||
    element.closest('.visually-hidden, .md-hidden, .chart-hidden, .skip-link, [data-part="announcer"]') !==
      null
  /** The closest element that scrolls sideways, which works by keyboard too. */
  const scrollerOf = (element: Element): Element | null => {
    for (let outer: Element | null = element; outer !== null; outer = outer.parentElement)
      if (/auto|scroll/.test(getComputedStyle(outer).overflowX) && outer.scrollWidth > outer.clientWidth)
        return outer
    return null
  }
  const clipOf = (element: Element): Element | null => {
    for (let outer: Element | null = element; outer !== null; outer = outer.parentElement)
      if (/hidden|clip/.test(getComputedStyle(outer).overflow)) return outer
    return null
  }

  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const element = text.parentElement
    if (element === null || text.textContent?.trim() === '') continue
    if (isHidden(element) || scrollerOf(element) !== null || element.closest(excerpts) !== null) continue
    const range = document.createRange()
    range.selectNodeContents(text)
    const { left, right, top, bottom } = range.getBoundingClientRect()
    if (left < -1 || right > width + 1) lost.push(`beside the page: ${told(element)}`)
    const clip = clipOf(element)?.getBoundingClientRect()
    if (clip === undefined) continue
    if (left < clip.left - 1 || right > clip.right + 1 || top < clip.top - 1 || bottom > clip.bottom + 1)
      lost.push(`cut off: ${told(element)}`)
  }
  return lost
}

/** Rows of the timeline that overlap. Runs in the page. */
export function findOverlaps(): readonly string[] {
  const rows = [...document.querySelectorAll('.timeline-row')]
  const places = rows.map((row) => row.getBoundingClientRect()).sort((a, b) => a.top - b.top)
  return places.flatMap(({ top }, index) => {
    const { bottom } = places[index - 1] ?? { bottom: top }
    return bottom > top + 1 ? [`row ${index} begins ${bottom - top} too high`] : []
  })
}

/** Controls smaller than 24 by 24 CSS pixels (WCAG 2.5.8). Runs in the page. */
export function findSmallTargets(): readonly string[] {
  const minPixels = 24
  const selector = 'a[href], button, input, select, textarea, summary, [role="option"]'
  return [...document.querySelectorAll<HTMLElement>(selector)].flatMap((element) => {
    if (!element.checkVisibility({ visibilityProperty: true }) || element.matches('.skip-link')) return []
    const isInText = element.tagName === 'A' && getComputedStyle(element).display === 'inline'
    if (isInText) return []
    // A label is part of the target of its field.
    const target = element.closest('label') ?? element
    const { width, height } = target.getBoundingClientRect()
    const told = `${element.tagName}.${element.className}: ${(element.textContent ?? '').trim().slice(0, 40)}`
    return width < minPixels || height < minPixels ? [`${told} is ${width} by ${height}`] : []
  })
}

/** Running animations. Runs in the page. */
export function findMotion(): readonly string[] {
  return document
    .getAnimations()
    .filter(({ playState }) => playState === 'running')
    .map((animation) => ('animationName' in animation ? String(animation.animationName) : 'a transition'))
}
