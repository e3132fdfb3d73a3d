import type { CallState } from '@sluice/protocol'
import { memo } from 'react'
import { formatDuration } from '../format/format-duration.ts'
import { JsonView } from '../shell/json-view.tsx'

/** How many calls are shown; the timeline has all of them. */
const maxCalls = 100

/** The tools that the agent used, with their arguments and results. */
export function ToolList({ calls }: { readonly calls: readonly CallState[] }) {
  const shown = calls.slice(-maxCalls)
  return (
    <section aria-labelledby="answer-tools">
      <h2 id="answer-tools" className="section-title">
        Tools
      </h2>
      {shown.length < calls.length && (
        <p className="note">
          The last {maxCalls} of {calls.length}. The timeline has all of them.
        </p>
      )}
      <ul className="plain-list tools">
        {shown.map((call) => (
          <Tool key={call.call} call={call} />
        ))}
      </ul>
    </section>
  )
}

const words = { success: 'done', error: 'failed', timeout: 'took too long' } as const

const Tool = memo(function Tool({ call }: { readonly call: CallState }) {
  const { tool, status, args, argsText, argsSummary, result, message, exitCode, durationMs } = call
  const given = args ?? argsText
  return (
    <li className="tool" data-status={status ?? 'running'}>
      <details>
        <summary>
          <code>{tool}</code>
          <span className="tool-status">{status === undefined ? 'running' : words[status]}</span>
          {durationMs !== undefined && <span className="note">{formatDuration(durationMs)}</span>}
          {argsSummary !== undefined && (
            <span className="tool-summary" dir="auto">
              {argsSummary}
            </span>
          )}
        </summary>
        {given !== undefined && <JsonView label="Arguments" value={given} />}
        {message !== undefined && <p dir="auto">{message}</p>}
        {exitCode !== undefined && <p className="note">Exit code {exitCode}</p>}
        {result !== undefined && <JsonView label="Result" value={result} />}
        {given === undefined && result === undefined && message === undefined && (
          <p className="note">Nothing is known of its arguments and its result.</p>
        )}
      </details>
    </li>
  )
})
