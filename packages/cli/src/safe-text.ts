/**
 * What acts on a terminal or changes the order in which text is read: C0 but for tab and line feed, DEL, C1, line and
 * paragraph separators, marks and overrides of direction, and format characters that are not seen.
 */
const controls =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what this looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u180e\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

/** Every control character as an escape of JSON, such as \u001b; line feeds and tabs stay. */
export function escapeControls(text: string): string {
  return text.replace(controls, spell)
}

/** Text of others over several lines, each of which is indented: no line of our own begins with a space. */
export function toSafeText(text: string): string {
  return indent(escapeControls(text.replace(/\r\n?/g, '\n')))
}

/** Text of others on one line, cut after `maxLength` characters. */
export function toSafeLine(text: string, maxLength = 200): string {
  return cut(toLine(text), maxLength)
}

/** The same, and how much was cut is told. */
export function toCountedLine(text: string, maxLength: number): string {
  const leftOut = countLeftOut(text, maxLength)
  return leftOut === 0 ? toLine(text) : `${toSafeLine(text, maxLength)} (${leftOut} more characters)`
}

/** How many characters toSafeLine() leaves out. */
export function countLeftOut(text: string, maxLength = 200): number {
  const { length } = [...toLine(text)]
  return length <= maxLength ? 0 : length - maxLength + 1
}

function toLine(text: string): string {
  return escapeControls(text.replace(/[\r\n]+/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()
}

/** A sentence of our own that may quote others. Lines behind the first are indented. */
export function toSentence(text: string, maxLength = 4000): string {
  return escapeControls(cut(text.replace(/\r\n?/g, '\n').trim(), maxLength)).replace(/\n */g, '\n  ')
}

function indent(text: string): string {
  return text.replace(/^/gm, '  ')
}

function cut(text: string, maxLength: number): string {
  const characters = [...text.slice(0, 2 * maxLength + 2)]
  return characters.length <= maxLength ? text : `${characters.slice(0, maxLength - 1).join('')}…`
}

function spell(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
