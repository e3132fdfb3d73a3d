export type JsonLintFinding = {
  readonly code: 'duplicate_key' | 'unsafe_number'
  /** JSON Pointer (RFC 6901) of the value. */
  readonly pointer: string
}

const maxFindings = 20

/**
 * An open object or array: its keys so far if it is an object, and the key or index of the value being read.
 */
type Container = { readonly keys: Set<string> | undefined; step: string | number }

/**
 * Finds what JSON.parse silently accepts and loses: a key that occurs twice in one object, and a number that
 * does not fit into a double, that is an integer beyond ±(2^53−1) or an overflow to infinity (RFC 7493 §2.2,
 * §2.3). Returns at most the first 20 findings. `json` must be valid JSON; on other text it still ends and
 * does not throw.
 */
export function lintJson(json: string): JsonLintFinding[] {
  const findings: JsonLintFinding[] = []
  const open: Container[] = []
  let expectsKey = false

  function add(code: JsonLintFinding['code']): void {
    findings.push({ code, pointer: open.map(({ step }) => `/${escapeStep(step)}`).join('') })
  }

  function readString(start: number, end: number): void {
    const container = open.at(-1)
    if (!expectsKey || container?.keys === undefined) return
    const key = unquote(json.slice(start, end))
    container.step = key
    expectsKey = false
    if (container.keys.has(key)) add('duplicate_key')
    container.keys.add(key)
  }

  function readComma(): void {
    const container = open.at(-1)
    if (typeof container?.step === 'number') container.step++
    else expectsKey = true
  }

  for (let at = 0; at < json.length && findings.length < maxFindings; ) {
    const char = json.charAt(at)
    let end = at + 1
    if (char === '"') {
      end = endOfString(json, at)
      readString(at, end)
    } else if (char === '{') {
      open.push({ keys: new Set(), step: '' })
      expectsKey = true
    } else if (char === '[') {
      open.push({ keys: undefined, step: 0 })
      expectsKey = false
    } else if (char === '}' || char === ']') {
      open.pop()
      expectsKey = false
    } else if (char === ',') {
      readComma()
    } else if (char === '-' || isDigit(char)) {
      end = endOfNumber(json, at)
      if (isUnsafeNumber(json.slice(at, end))) add('unsafe_number')
    }
    at = end
  }
  return findings
}

function endOfString(json: string, start: number): number {
  for (let from = start + 1; ; ) {
    const quote = json.indexOf('"', from)
    if (quote === -1) return json.length
    let first = quote
    while (first > from && json[first - 1] === '\\') first--
    if ((quote - first) % 2 === 0) return quote + 1
    from = quote + 1
  }
}

function endOfNumber(json: string, start: number): number {
  let end = start + 1
  while (end < json.length && (isDigit(json.charAt(end)) || '.eE+-'.includes(json.charAt(end)))) end++
  return end
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9'
}

function isUnsafeNumber(literal: string): boolean {
  const number = Number(literal)
  if (Number.isSafeInteger(number)) return false
  return !Number.isFinite(number) || !/[.eE]/.test(literal)
}

function unquote(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1)
  try {
    return String(JSON.parse(literal))
  } catch {
    return literal.slice(1, -1)
  }
}

function escapeStep(step: string | number): string {
  return String(step).replaceAll('~', '~0').replaceAll('/', '~1')
}
