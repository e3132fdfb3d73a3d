import type { SessionView } from '@sluice/react'
import { describeStatus } from '../sessions/session-words.ts'

/** The current work of the agent: its state, its progress, and the running tools. */
export function WhatNow({ session }: { readonly session: SessionView }) {
  const { state, calls } = session
  if (state === undefined || state.end !== undefined) return null
  const { progress, status } = state
  const running = calls.filter((call) => call.status === undefined)
  if (status === 'idle' && progress === undefined && running.length === 0) return null
  const percent = progress?.percent ?? percentOf(progress?.step, progress?.total)
  return (
    <div className="now">
      <p className="now-state">
        <strong>{describeStatus(status)}</strong>
        {progress?.text !== undefined && <span dir="auto">{progress.text}</span>}
        {running.map(({ call, tool }) => (
          <code key={call} className="code-inline">
            {tool}
          </code>
        ))}
      </p>
      {percent !== undefined && (
        <progress className="progress" max={100} value={percent} aria-label="Progress of the agent">
          {Math.round(percent)} %
        </progress>
      )}
    </div>
  )
}

function percentOf(step: number | undefined, total: number | undefined): number | undefined {
  return step === undefined || total === undefined || total <= 0
    ? undefined
    : Math.min(100, (step / total) * 100)
}
