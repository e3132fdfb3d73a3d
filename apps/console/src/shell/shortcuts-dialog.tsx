import type { Ref } from 'react'
import { useSettings } from '../settings/settings-context.tsx'
import { Dialog } from './dialog.tsx'
import { shortcuts } from './shortcuts.ts'

/** The keys, and a switch to turn them off. */
export function ShortcutsDialog({ ref }: { readonly ref: Ref<HTMLDialogElement> }) {
  const { settings, change } = useSettings()
  return (
    <Dialog title="Keys" ref={ref}>
      <dl className="keys">
        {shortcuts.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label className="check">
        <input
          type="checkbox"
          checked={settings.shortcuts}
          onChange={(event) => change({ shortcuts: event.target.checked })}
        />
        <span>Single keys act outside of fields</span>
      </label>
    </Dialog>
  )
}
