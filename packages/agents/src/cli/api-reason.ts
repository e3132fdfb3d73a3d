/** Why the API of a model refused, in our own words, for the HTTP status that an agent reports. */
export function toApiReason(status: number | undefined): string {
  if (status === 401 || status === 403) return 'authentication failed'
  if (status === 402) return 'quota exceeded'
  if (status === 429) return 'rate limited'
  return status !== undefined && status >= 500 ? 'model API unavailable' : 'model API error'
}
