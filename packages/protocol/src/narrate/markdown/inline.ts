import { fill } from '../phrases/fill.ts'
import type { NarrationPhrases } from '../phrases/narration-phrases.ts'

/** U+FFFC stands for text that is set aside while emphasis is resolved; the text itself has none. */
const mark = '\ufffc'

const destination = String.raw`\((?:[^()\s]|\([^()\s]*\))*(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)`
const label = String.raw`\[((?:[^\[\]]|\[[^\[\]]*\])*)\]`

/** In the order in which they are tried at one place. */
const pieces = new RegExp(
  [
    String.raw`\\([!-/:-@[-\`{-~])`, // 1: an escaped mark
    '(?<!`)(`+)(?!`)(.*?[^`])\\2(?!`)', // 2, 3: a code span
    String.raw`!${label}(?:${destination}|\[[^\]]*\])`, // 4: an image
    String.raw`${label}(?:${destination}|\[[^\]]*\])`, // 5: a link
    String.raw`<(https?://[^\s<>]+)>`, // 6: an address in brackets
    String.raw`<mailto:([^\s<>]+)>`, // 7
    String.raw`(https?://[^\s<>"'\`]+)`, // 8: a bare address
    String.raw`(<br\s*/?>)`, // 9
    '&(amp|lt|gt|quot|apos|nbsp|#39);', // 10
  ].join('|'),
  'gi',
)

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  '#39': "'",
}

/** The text of a line of Markdown, as a person would say it. */
export function speakInline(text: string, phrases: NarrationPhrases): string {
  const aside: string[] = []
  const put = (said: string): string => {
    aside.push(said)
    return mark
  }
  const marked = text
    .replace(/[\s\ufffc]+/g, ' ')
    // biome-ignore lint/complexity/useMaxParams: replace() passes one argument for each group.
    .replace(pieces, (whole, escaped, _ticks, code, image, link, address, mail, bare, lineBreak, entity) => {
      if (escaped !== undefined) return put(escaped)
      if (code !== undefined) return put(code.trim())
      if (image !== undefined) return put(speakImage(image, phrases))
      if (link !== undefined) return put(speakLink(link, phrases))
      if (address !== undefined) return put(hostOf(address))
      if (mail !== undefined) return put(mail)
      if (bare !== undefined) return putAddress(bare, put)
      if (lineBreak !== undefined) return ' '
      return entity === undefined ? whole : put(entities[String(entity).toLowerCase()] ?? whole)
    })
  let next = 0
  return withoutEmphasis(marked)
    .replaceAll(mark, () => aside[next++] ?? '')
    .replace(/\s+/g, ' ')
    .trim()
}

function speakImage(alternative: string, phrases: NarrationPhrases): string {
  const text = speakInline(alternative, phrases)
  return text === '' ? phrases.imageAlone : fill(phrases.image, { text })
}

function speakLink(label: string, phrases: NarrationPhrases): string {
  const text = speakInline(label, phrases)
  return text === '' ? '' : fill(phrases.link, { text })
}

/** A sentence may end after an address, so trailing marks belong to the sentence. */
function putAddress(found: string, put: (said: string) => string): string {
  const address = found.replace(/(?<![.,;:!?*_~)\]}。，])[.,;:!?*_~)\]}。，]+$/u, '')
  return put(hostOf(address)) + found.slice(address.length)
}

/** The host: after the name of a user, and before the port, the path and the rest. */
const host = /^https?:\/\/(?:[^/?#\\]*@)?(\[[^\]]*\]|[^/?#\\:@]+)/i

function hostOf(address: string): string {
  const name = host.exec(address)?.[1]
  return name === undefined ? address : name.toLowerCase().replace(/^www\./, '')
}

/** Removes the marks of emphasis that come in pairs. */
function withoutEmphasis(text: string): string {
  let plain = text
  for (let round = 0; round < 3; round++)
    plain = plain
      .replace(/(\*{1,3})(?=[^\s*])(.*?[^\s*])\1(?!\*)/gu, '$2')
      .replace(/(?<![\p{L}\p{N}_])(_{1,3})(?=[^\s_])(.*?[^\s_])\1(?![\p{L}\p{N}_])/gu, '$2')
      .replace(/~~(?=\S)(.*?\S)~~/gu, '$1')
  return plain
}

/**
 * Whether no mark is open at the end, so that the text can be cut there. Counts marks instead of pairing
 * them, because it runs for every piece of a growing text.
 */
export function isBalanced(text: string): boolean {
  const rest = text.replace(/[\s\ufffc]+/g, ' ').replace(pieces, 'x')
  const isOpen =
    rest.includes('`') ||
    rest.lastIndexOf('[') > rest.lastIndexOf(']') ||
    rest.lastIndexOf('](') > rest.lastIndexOf(')')
  if (isOpen) return false
  const open = new Set<string>()
  for (const [marks] of rest.matchAll(
    /(?<=\S)\*{1,3}|\*{1,3}(?=\S)|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}])|~~/gu,
  ))
    if (!open.delete(marks)) open.add(marks)
  return open.size === 0
}
