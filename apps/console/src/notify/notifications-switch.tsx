import { useState } from 'react'
import { useSettings } from '../settings/settings-context.tsx'

/** Turns notifications on, with the browser's consent, and off. */
export function NotificationsSwitch() {
  const { settings, change } = useSettings()
  const [permission, setPermission] = useState(currentPermission)
  if (permission === undefined) return null

  const toggle = async (wanted: boolean): Promise<void> => {
    if (!wanted) {
      change({ notifications: false })
      return
    }
    const given = await Notification.requestPermission()
    setPermission(given)
    change({ notifications: given === 'granted' })
  }

  return (
    <div>
      <label className="check">
        <input
          type="checkbox"
          checked={settings.notifications && permission === 'granted'}
          disabled={permission === 'denied'}
          onChange={(event) => void toggle(event.target.checked)}
        />
        <span>Notify me of questions while this tab is hidden</span>
      </label>
      {permission === 'denied' && (
        <p className="note">The browser does not allow notifications of this page.</p>
      )}
    </div>
  )
}

function currentPermission(): NotificationPermission | undefined {
  return 'Notification' in globalThis ? Notification.permission : undefined
}
