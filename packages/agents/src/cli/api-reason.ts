/** Why the API of a model refused, by the HTTP status that an agent tells of it, in words of ours. */
export function toApiReason(status: number | undefined): string {
  if (status === 401 || status === 403) return 'authentication failed'
  if (status === 402) return 'quota exceeded'
  if (status === 429) return 'rate limited'
  return status !== undefined && status >= 500 ? 'model API unavailable' : 'model API error'
}
