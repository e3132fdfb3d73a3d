import type { Page } from 'playwright-core'

/** Where the focus is after a press of Tab. */
interface FocusStep {
  readonly name: string
  /** The part of the page that it is in. */
  readonly part: number
  /** In the page, whatever was scrolled. */
  readonly top: number
  readonly left: number
  readonly bottom: number
  /** Why the focus is not visible; empty if it is. */
  readonly trouble: string
}

const maxSteps = 300

/** Presses Tab from the start of the page to its end; again if controls came or went meanwhile. */
export async function walkFocus(page: Page): Promise<readonly FocusStep[]> {
  for (;;) {
    const before = await page.evaluate(listControls)
    const steps = await walkOnce(page)
    const after = await page.evaluate(listControls)
    if (before.join() === after.join()) return steps
  }
}

async function walkOnce(page: Page): Promise<readonly FocusStep[]> {
  const steps: FocusStep[] = []
  while (steps.length < maxSteps) {
    await page.keyboard.press('Tab')
    const step = await page.evaluate(describeFocus)
    if (step === undefined) return steps
    steps.push(step)
  }
  throw new Error(`The focus does not come to an end: ${steps.map(({ name }) => name).join(', ')}`)
}

/** Every stop of Tab: all that can be pressed, typed in or scrolled, and one radio button of each group. */
export function listControls(): readonly string[] {
  const selector = 'a[href], button, input, select, textarea, summary, [tabindex="0"]'
  return [...document.querySelectorAll<HTMLElement>(selector)].flatMap((element) => {
    const isOff = element.matches(':disabled') || !element.checkVisibility({ visibilityProperty: true })
    const isOtherRadio = element instanceof HTMLInputElement && element.type === 'radio' && !element.checked
    const name =
      element.getAttribute('aria-label') ?? element.closest('label')?.textContent ?? element.textContent
    return isOff || isOtherRadio ? [] : [`${element.tagName} ${(name ?? '').trim().slice(0, 40)}`]
  })
}

function describeFocus(): FocusStep | undefined {
  const element = document.activeElement
  if (!(element instanceof HTMLElement) || element === document.body) return undefined
  const parts = 'article, .live-text, .timeline, .entry, aside, header, dialog, main'
  const { top, left, bottom, right } = element.getBoundingClientRect()
  let scrolled = 0
  for (let outer = element.parentElement; outer !== null; outer = outer.parentElement)
    scrolled += outer.scrollTop

  /** Where the focus is drawn: for an invisible field, around the element shown in its place. */
  const drawn = getComputedStyle(element).opacity === '0' ? (element.nextElementSibling ?? element) : element
  const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(drawn)
  const isDrawn =
    outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2 && !/^rgba\(.*, 0\)$/.test(outlineColor)

  const middle: readonly [number, number] = [(left + right) / 2, (top + bottom) / 2]
  const points = [
    middle,
    [left + 4, top + 4],
    [right - 4, top + 4],
    [left + 4, bottom - 4],
    [right - 4, bottom - 4],
  ]
  const isSeen = points.some(([x = 0, y = 0]) => {
    const hit = document.elementFromPoint(x, y)
    return hit !== null && (element.contains(hit) || element.closest('label')?.contains(hit) === true)
  })
  const name =
    element.getAttribute('aria-label') ?? element.closest('label')?.textContent ?? element.textContent
  return {
    name: `${element.tagName} ${(name ?? '').trim().slice(0, 40)}`,
    part: [...document.querySelectorAll(parts)].indexOf(
      element.parentElement?.closest(parts) ?? document.body,
    ),
    top: top + scrolled,
    left,
    bottom: bottom + scrolled,
    trouble: isDrawn ? (isSeen ? '' : 'is not seen') : `has no outline (${outlineStyle} ${outlineWidth})`,
  }
}

/** Steps back or up within one part of the page. */
export function findJumps(steps: readonly FocusStep[]): readonly string[] {
  return steps.flatMap((step, index) => {
    const before = steps[index - 1]
    if (before === undefined || before.part !== step.part) return []
    const isSameLine = step.top < before.bottom && before.top < step.bottom
    const isForward = isSameLine ? step.left >= before.left - 1 : step.top >= before.top
    return isForward ? [] : [`${before.name} to ${step.name}`]
  })
}

/** The tag and the name of the element that has the focus. */
export function focusedName(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement: element } = document
    return `${element?.tagName} ${(element?.getAttribute('aria-label') ?? element?.textContent ?? '').trim()}`
  })
}
