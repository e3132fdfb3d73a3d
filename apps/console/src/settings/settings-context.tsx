import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { spokenLanguages } from './languages.ts'
import { defaultSettings, parseSettings, type Settings } from './settings.ts'

const storageKey = 'sluice.settings'

interface SettingsAccess {
  readonly settings: Settings
  change(changes: Partial<Settings>): void
}

const SettingsContext = createContext<SettingsAccess>({ settings: defaultSettings, change: () => {} })

/** Keeps the settings in this browser and in sync with other tabs. */
export function SettingsProvider({ children }: { readonly children: ReactNode }) {
  const [settings, setSettings] = useState(readSettings)
  useEffect(() => {
    const onStorage = (event: StorageEvent): void => {
      if (event.key === storageKey) setSettings(parseSettings(event.newValue))
    }
    addEventListener('storage', onStorage)
    return () => removeEventListener('storage', onStorage)
  }, [])
  useEffect(() => {
    const { dataset } = document.documentElement
    if (settings.theme === 'system') delete dataset['theme']
    else dataset['theme'] = settings.theme
  }, [settings.theme])
  const access = useMemo(
    () => ({
      settings,
      change: (changes: Partial<Settings>) =>
        setSettings((before) => {
          const after = { ...before, ...changes }
          keepSettings(after)
          return after
        }),
    }),
    [settings],
  )
  return <SettingsContext value={access}>{children}</SettingsContext>
}

export function useSettings(): SettingsAccess {
  return useContext(SettingsContext)
}

/** Without access to storage, the settings last as long as the page. */
function readSettings(): Settings {
  try {
    const kept = localStorage.getItem(storageKey)
    return kept === null
      ? { ...defaultSettings, language: ownLanguage(navigator.language) }
      : parseSettings(kept)
  } catch {
    return defaultSettings
  }
}

function keepSettings(settings: Settings): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(settings))
  } catch {
    // Without storage the settings last as long as the page.
  }
}

/** The language of the browser, by the announcer's name for it. */
function ownLanguage(tag: string): string {
  const [primary] = tag.split('-')
  return spokenLanguages.find(([known]) => known === primary)?.[0] ?? (tag || defaultSettings.language)
}
