import type { Finding } from '@sluice/protocol'

interface FindingListProps {
  readonly findings: readonly Finding[]
  readonly isClean: boolean
}

/** What is wrong with an entry: which rule, where, and a sentence. */
export function FindingList({ findings, isClean }: FindingListProps) {
  return (
    <>
      <h3 className="entry-title">Findings</h3>
      {findings.length === 0 ? (
        <p className="note">{isClean ? 'None: it is valid to the letter and in its place.' : 'None.'}</p>
      ) : (
        <ul className="plain-list findings">
          {findings.map((finding, index) => (
            // The findings of an entry never change.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above.
            <li key={index}>
              <code className="code-inline">{finding.code}</code> {finding.message}
              {finding.path !== '' && (
                <span className="note">
                  {' '}
                  at <code className="code-inline">{finding.path}</code>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
