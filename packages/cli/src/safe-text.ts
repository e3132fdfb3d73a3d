/**
 * Characters that control a terminal or change the reading order: C0 except for tab and line feed, DEL, C1,
 * line and paragraph separators, direction marks and overrides, and invisible format characters.
 */
const controls =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what this looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u180e\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g

/** Replaces every control character by its JSON escape, such as \u001b; keeps line feeds and tabs. */
export function escapeControls(text: string): string {
  return text.replace(controls, spell)
}

/** Foreign text on several lines, each indented: none of this command's own lines begins with a space. */
export function toSafeText(text: string): string {
  return indent(escapeControls(text.replace(/\r\n?/g, '\n')))
}

/** Foreign text on one line, cut to `maxLength` characters. */
export function toSafeLine(text: string, maxLength = 200): string {
  return cut(toLine(text), maxLength)
}

/** Like toSafeLine(), with the number of characters that were cut. */
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

/** A sentence of this command that may quote foreign text. Indents every line after the first. */
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
