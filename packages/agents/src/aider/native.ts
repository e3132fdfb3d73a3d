import { stripVTControlCharacters } from 'node:util'

/** A line that aider prints: one of its own messages, or `text`. */
export type NativeLine =
  | { readonly type: 'version'; readonly version: string }
  | { readonly type: 'model'; readonly model: string }
  /** aider has read the prompt: its work starts after this line. */
  | { readonly type: 'prompt' }
  | { readonly type: 'tokens'; readonly tokens: TokenCounts; readonly cost: number | undefined }
  | { readonly type: 'cost'; readonly cost: number }
  | { readonly type: 'edit'; readonly path: string }
  | { readonly type: 'commit'; readonly hash: string; readonly subject: string }
  | { readonly type: 'provider-error'; readonly name: string }
  | { readonly type: 'retry' }
  | { readonly type: 'token-limit' }
  | { readonly type: 'blank' }
  | { readonly type: 'hint' }
  | { readonly type: 'text' }

/** As printed: thousands are rounded. */
export interface TokenCounts {
  readonly sent: number
  readonly cacheHit: number
  readonly received: number
}

const count = String.raw`([\d.,]+[kM]?)`
const costs = String.raw`Cost: \$[\d.]+ (?:message|request), \$([\d.]+) session\.`
const tokens = new RegExp(
  String.raw`^Tokens: ${count} sent(?:, ${count} cache write)?(?:, ${count} cache hit)?, ${count} received\.(?: ${costs})?$`,
)
const cost = new RegExp(`^${costs}$`)
const version = /^Aider v(\d[\w.+-]*)/
const model = /^(?:Main model|Model): (\S+) with /
// aider asks for a line with `> `, and for each further one with `. `; nobody types, so all are on one line.
const prompt = /^[\w-]*(?: ?multi)?> (?:\. )+$/
const waiting = /^[\w-]*(?: ?multi)?> $/
const edit = /^Applied edit to (.+)$/
const commit = /^Commit ([\da-f]{7,40}) (.*)$/
const providerError = /^litellm\.([A-Z]\w*)\b/
const retry = /^Retrying in [\d.]+ seconds\.\.\.$/
const tokenLimit = /^Model \S+ has hit a token limit!$/
const hint = /^You can use \/undo to undo and discard each aider commit\.$/

/** A line without colours, and without text that a terminal would have overwritten. */
export function cleanLine(line: string): string {
  const plain = stripVTControlCharacters(line)
  return plain.slice(plain.lastIndexOf('\r') + 1)
}

/** Reads a clean line. */
export function readLine(text: string): NativeLine {
  if (prompt.test(text)) return { type: 'prompt' }
  if (text.trim() === '' || waiting.test(text)) return { type: 'blank' }
  return readOwn(text) ?? { type: 'text' }
}

function readOwn(text: string): NativeLine | undefined {
  const [, versionName] = version.exec(text) ?? []
  if (versionName !== undefined) return { type: 'version', version: versionName }
  const [, modelName] = model.exec(text) ?? []
  if (modelName !== undefined) return { type: 'model', model: modelName }
  const [, sent, , hit, received, total] = tokens.exec(text) ?? []
  if (sent !== undefined && received !== undefined)
    return {
      type: 'tokens',
      tokens: { sent: toCount(sent), cacheHit: toCount(hit ?? '0'), received: toCount(received) },
      cost: total === undefined ? undefined : toNumber(total),
    }
  const [, sum] = cost.exec(text) ?? []
  if (sum !== undefined) return { type: 'cost', cost: toNumber(sum) }
  const [, path] = edit.exec(text) ?? []
  if (path !== undefined) return { type: 'edit', path }
  const [, hash, subject = ''] = commit.exec(text) ?? []
  if (hash !== undefined) return { type: 'commit', hash, subject }
  const [, name] = providerError.exec(text) ?? []
  if (name !== undefined) return { type: 'provider-error', name }
  if (retry.test(text)) return { type: 'retry' }
  if (tokenLimit.test(text)) return { type: 'token-limit' }
  if (hint.test(text)) return { type: 'hint' }
  return undefined
}

/** A count as aider prints it: `1,234`, `2.4k`, `1.2M`. */
function toCount(text: string): number {
  const factor = text.endsWith('k') ? 1000 : text.endsWith('M') ? 1_000_000 : 1
  return Math.round(toNumber(text.replace(/[,kM]/g, '')) * factor)
}

function toNumber(text: string): number {
  const value = Number.parseFloat(text)
  return Number.isFinite(value) ? value : 0
}
