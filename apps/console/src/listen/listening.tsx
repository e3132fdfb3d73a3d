import { omitUndefined } from '@sluice/protocol'
import { type AnnouncerHandle, type Utterance, useClient } from '@sluice/react'
import { lazy, Suspense, useMemo, useRef, useState } from 'react'
import { useSettings } from '../settings/settings-context.tsx'
import { ListeningSettings } from '../settings/settings-dialog.tsx'
import { useShortcut } from '../shell/shortcuts.ts'

/** Narration in six languages, which the first paint does not need. */
const Announcer = lazy(async () => ({ default: (await import('./load-announcer.ts')).Announcer }))

interface ListeningProps {
  readonly id: string
  readonly isLive: boolean
}

/** Announces the session in whole sentences, at the pace and the length that the listener chose. */
export function Listening({ id, isLive }: ListeningProps) {
  const client = useClient()
  const { settings, change } = useSettings()
  const handle = useRef<AnnouncerHandle>(null)
  const [last, setLast] = useState<Utterance>()
  // A session that has already ended is not announced.
  const [isHeard] = useState(isLive)
  const languages = useMemo(() => [settings.language], [settings.language])
  useShortcut('r', () => handle.current?.repeat())
  useShortcut('s', () => handle.current?.skip())
  useShortcut('w', () => handle.current?.whereAmI())

  if (!isHeard) return null
  return (
    <section className="listening" aria-label="Listening">
      <div className="listening-row">
        <label className="check">
          <input
            type="checkbox"
            checked={settings.listening}
            onChange={(event) => change({ listening: event.target.checked })}
          />
          <span>Announce</span>
        </label>
        {settings.listening && (
          <>
            <button type="button" className="button button-small" onClick={() => handle.current?.repeat()}>
              Repeat
            </button>
            <button type="button" className="button button-small" onClick={() => handle.current?.skip()}>
              Skip
            </button>
            <button type="button" className="button button-small" onClick={() => handle.current?.whereAmI()}>
              Where am I
            </button>
            <p className="caption" dir="auto" lang={last?.language} aria-hidden="true">
              {last?.text ?? (isLive ? 'Nothing was announced yet.' : '')}
            </p>
          </>
        )}
        <details className="listening-more">
          <summary className="button button-small button-quiet">How it sounds</summary>
          <ListeningSettings />
        </details>
      </div>
      {settings.listening && (
        <Suspense>
          <Announcer
            ref={handle}
            client={client}
            session={id}
            from="now"
            verbosity={settings.verbosity}
            languages={languages}
            speak={settings.speech}
            onUtterance={setLast}
            {...omitUndefined({ rateWpm: settings.rateWpm, load: settings.load })}
          />
        </Suspense>
      )}
    </section>
  )
}
