import { type ButtonHTMLAttributes, useLayoutEffect, useRef } from 'react'

/** A button that may disappear while it has the focus; the focus then goes to the content of the page. */
export function LeavingButton(props: Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'type'>) {
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const element = button.current
    return () => {
      // React calls this while the button is still in the page.
      if (element !== null && element === document.activeElement)
        document.getElementById('main')?.focus({ preventScroll: true })
    }
  }, [])
  return <button type="button" ref={button} {...props} />
}
