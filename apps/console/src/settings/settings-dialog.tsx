import { type Ref, useId } from 'react'
import { NotificationsSwitch } from '../notify/notifications-switch.tsx'
import { Dialog } from '../shell/dialog.tsx'
import { Choice } from './choice.tsx'
import { spokenLanguages } from './languages.ts'
import type { Settings } from './settings.ts'
import { useSettings } from './settings-context.tsx'

const themes = [
  ['system', 'As the system has it'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const satisfies readonly (readonly [Settings['theme'], string])[]

/** The settings of the whole console. */
export function SettingsDialog({ ref }: { readonly ref: Ref<HTMLDialogElement> }) {
  const { settings, change } = useSettings()
  const id = useId()
  return (
    <Dialog title="Settings" ref={ref}>
      <Choice
        label="Colours"
        value={settings.theme}
        options={themes}
        onChange={(theme) => change({ theme })}
      />
      <ListeningSettings />
      <NotificationsSwitch />
      <label className="check" htmlFor={`${id}-keys`}>
        <input
          id={`${id}-keys`}
          type="checkbox"
          checked={settings.shortcuts}
          onChange={(event) => change({ shortcuts: event.target.checked })}
        />
        <span>Single keys act outside of fields</span>
      </label>
    </Dialog>
  )
}

const verbosities = [
  ['terse', 'Terse'],
  ['normal', 'Normal'],
  ['detailed', 'Detailed'],
] as const satisfies readonly (readonly [Settings['verbosity'], string])[]

const loads = [
  ['', 'Not limited'],
  ['low', 'Low: as little as possible'],
  ['medium', 'Medium'],
  ['high', 'High: everything'],
] as const

const rates = [
  ['', 'As it comes'],
  ['90', '90 words a minute'],
  ['130', '130 words a minute'],
  ['180', '180 words a minute'],
  ['240', '240 words a minute'],
  ['320', '320 words a minute'],
  ['450', '450 words a minute'],
] as const

/** How the announcer speaks; the gateway paces it. */
export function ListeningSettings() {
  const { settings, change } = useSettings()
  const known = spokenLanguages.some(([tag]) => tag === settings.language)
  const own = known
    ? spokenLanguages
    : ([...spokenLanguages, [settings.language, settings.language]] as const)
  return (
    <fieldset className="settings-group">
      <legend>Listening</legend>
      <label className="check">
        <input
          type="checkbox"
          checked={settings.listening}
          onChange={(event) => change({ listening: event.target.checked })}
        />
        <span>Announce what happens, for screen readers</span>
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={settings.speech}
          onChange={(event) =>
            change({ speech: event.target.checked, ...(event.target.checked ? { listening: true } : {}) })
          }
        />
        <span>Let this browser speak it</span>
      </label>
      <Choice
        label="How much is told"
        value={settings.verbosity}
        options={verbosities}
        onChange={(verbosity) => change({ verbosity })}
      />
      <Choice
        label="Pace"
        value={String(settings.rateWpm ?? '')}
        options={rates}
        onChange={(rate) => change({ rateWpm: rate === '' ? undefined : Number(rate) })}
      />
      <Choice
        label="Language"
        value={settings.language}
        options={own}
        onChange={(language) => change({ language })}
      />
      <Choice
        label="Load"
        value={settings.load ?? ''}
        options={loads}
        onChange={(load) => change({ load: load === '' ? undefined : load })}
      />
    </fieldset>
  )
}
