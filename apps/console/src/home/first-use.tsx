import { CommandLine } from '../shell/command-line.tsx'

/** What to do next in a gateway without sessions. */
export function FirstUse() {
  return (
    <section className="card" aria-labelledby="first-use">
      <h2 id="first-use" className="section-title">
        Nothing has happened here yet
      </h2>
      <p>Ask the demo agent above, or send the gateway what an agent of yours says. In a terminal:</p>
      <CommandLine command="npx sluice run demo 'plan a weekend trip'" />
      <CommandLine command="npx sluice publish sess_first FILE" />
      <p>
        A file or a pipe in any dialect that the gateway knows will do;{' '}
        <code className="code-inline">npx sluice dialects</code> lists them.
      </p>
    </section>
  )
}
