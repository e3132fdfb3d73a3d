import { type MouseEvent, type ReactNode, type Ref, useId } from 'react'

interface DialogProps {
  readonly title: string
  readonly ref: Ref<HTMLDialogElement>
  readonly children: ReactNode
}

/** A native dialog: it keeps the focus inside, closes with Escape, and returns the focus. */
export function Dialog({ title, ref, children }: DialogProps) {
  const id = useId()
  const onClick = (event: MouseEvent<HTMLDialogElement>): void => {
    // Outside of its content there is only the backdrop.
    if (event.target === event.currentTarget) event.currentTarget.close()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it; the click is on the backdrop.
    <dialog ref={ref} className="dialog" aria-labelledby={id} onClick={onClick}>
      <div className="dialog-body">
        <h2 id={id}>{title}</h2>
        {children}
        <form method="dialog" className="dialog-end">
          <button type="submit" className="button button-primary">
            Close
          </button>
        </form>
      </div>
    </dialog>
  )
}
