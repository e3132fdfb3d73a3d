/** Text of others for a terminal: control characters are shown, line breaks and tabs stay. */
export function toSafeText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (found) =>
      found === '\n' || found === '\t' ? found : spell(found),
    )
}

/** The same on one line, cut after `maxLength` characters. */
export function toSafeLine(text: string, maxLength = 200): string {
  const characters = [...toSafeText(text).replace(/\s+/g, ' ').trim()]
  return characters.length <= maxLength
    ? characters.join('')
    : `${characters.slice(0, maxLength - 1).join('')}…`
}

function spell(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
