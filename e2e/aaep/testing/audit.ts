import type { JsonObject } from '@sluice/protocol'

/** The questions of a session, as recorded by the gateway. */
export async function readAudit(url: string, session: string): Promise<readonly JsonObject[]> {
  const response = await fetch(`${url}/v1/sessions/${session}/questions`)
  const { questions } = (await response.json()) as { readonly questions: readonly JsonObject[] } // docs/http-api.md
  return questions
}
