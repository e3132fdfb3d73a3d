import type { AgentResource } from '@sluice/client'
import { useClient } from '@sluice/react'
import { type FormEvent, useId, useState } from 'react'
import { navigate } from '../router/router.tsx'
import { CommandLine } from '../shell/command-line.tsx'
import { submitOnEnter } from '../shell/submit-on-enter.ts'
import { Trouble } from '../shell/trouble.tsx'
import { useAction } from '../shell/use-action.ts'

interface AskFormProps {
  readonly agents: readonly AgentResource[] | undefined
  readonly mayRun: boolean
}

const example = 'A weekend by the sea for two, by train, please.'

/** Starts a run of one of the gateway's agents. */
export function AskForm({ agents = [], mayRun }: AskFormProps) {
  const id = useId()
  const client = useClient()
  const [chosen, setChosen] = useState<string>()
  const [prompt, setPrompt] = useState('')
  const [workingDir, setWorkingDir] = useState('')
  const agent =
    agents.find(({ name }) => name === chosen) ?? agents.find(({ installed }) => installed) ?? agents[0]
  // The demo runs for everybody on this machine; the others need a credential.
  const isAllowed = mayRun || agent?.kind === 'demo'

  const { isBusy, error, run } = useAction(async () => {
    if (agent === undefined) return
    const session = await client.agents.run(agent.name, {
      prompt: prompt.trim() === '' ? example : prompt,
      ...(workingDir === '' ? {} : { workingDir }),
    })
    navigate({ page: 'session', session: session.id, part: 'answer' })
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    run()
  }

  if (agent === undefined) return null
  const places = agent.workingDirs ?? []
  return (
    <form className="card ask" onSubmit={submit} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} className="section-title">
        Ask an agent
      </h2>
      <label className="visually-hidden" htmlFor={`${id}-prompt`}>
        What should it do?
      </label>
      <textarea
        id={`${id}-prompt`}
        className="input"
        rows={2}
        dir="auto"
        placeholder={example}
        value={prompt}
        onKeyDown={submitOnEnter}
        onChange={(event) => setPrompt(event.target.value)}
      />
      <div className="ask-row">
        <label htmlFor={`${id}-agent`}>Agent</label>
        <select
          id={`${id}-agent`}
          className="input"
          value={agent.name}
          onChange={(event) => setChosen(event.target.value)}
        >
          {agents.map(({ name, title, installed }) => (
            <option key={name} value={name}>
              {installed ? title : `${title} (not installed)`}
            </option>
          ))}
        </select>
        {places.length > 1 && (
          <>
            <label htmlFor={`${id}-place`}>Directory</label>
            <select
              id={`${id}-place`}
              className="input"
              value={workingDir}
              onChange={(event) => setWorkingDir(event.target.value)}
            >
              <option value="">{places[0]}</option>
              {places.slice(1).map((place) => (
                <option key={place}>{place}</option>
              ))}
            </select>
          </>
        )}
        <button
          type="submit"
          className="button button-primary"
          aria-disabled={isBusy || !isAllowed || !agent.installed}
          disabled={!isAllowed || !agent.installed}
        >
          {isBusy ? 'Starting…' : 'Start'}
        </button>
      </div>
      {!agent.installed && agent.hint !== undefined && <p className="note">{agent.hint}</p>}
      {!isAllowed && (
        <div className="note">
          <p>
            Starting this agent needs a key that may run agents. The link that the gateway printed has one:
          </p>
          <CommandLine command="npm start" />
        </div>
      )}
      {error !== undefined && <Trouble what="The agent was not started." error={error} />}
    </form>
  )
}
