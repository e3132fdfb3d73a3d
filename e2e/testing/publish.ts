/** The gateway's response to a publication. */
export interface PublishAnswer {
  readonly status: number
  readonly accepted: number
  readonly duplicates: number
  readonly refused: readonly unknown[]
  readonly cursor: string
}

/** Publishes the JSON text of one event, and fails if it is not accepted. */
export async function publishText(
  url: string,
  session: string,
  { dialect, text }: { readonly dialect: string; readonly text: string },
): Promise<PublishAnswer> {
  const response = await fetch(`${url}/v1/sessions/${session}/events?dialect=${dialect}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: text,
  })
  const answer = (await response.json()) as PublishAnswer // see docs/http-api.md
  if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(answer)} to ${text.slice(0, 200)}`)
  return { ...answer, status: response.status }
}

/** Ends a session, unless its producer has already done so. */
export async function endSession(url: string, session: string): Promise<void> {
  const response = await fetch(`${url}/v1/sessions/${session}/end`, { method: 'POST' })
  const answer = (await response.json()) as { readonly code?: string } // see docs/http-api.md
  if (!response.ok && answer.code !== 'session_ended')
    throw new Error(`${response.status} ${JSON.stringify(answer)}`)
}
