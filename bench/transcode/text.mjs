const words =
  'the offer covers delivery within two weeks and includes support for every unit that was ordered while prices hold until spring'.split(
    ' ',
  )

/**
 * Text of exactly `bytes` bytes of UTF-8: mostly ASCII, with line breaks, quotes and accents as answers have
 * them.
 */
export function sentenceOf(bytes, seed) {
  let text = accentOf(seed)
  for (let index = seed; Buffer.byteLength(text) < bytes; index += 1)
    text += words[index % words.length] + gapAt(index)
  // Accents are at the front, so the cut falls between bytes of ASCII.
  return text.slice(0, text.length - (Buffer.byteLength(text) - bytes))
}

/**
 * One text in eight has a character of two bytes, one in forty one beyond them: V8 stores and copies these
 * differently.
 */
function accentOf(seed) {
  if (seed % 40 === 0) return '🚲 – '
  return seed % 8 === 0 ? 'Señor ' : ''
}

function gapAt(index) {
  if (index % 97 === 0) return '\n\n'
  return index % 53 === 0 ? '" ' : ' '
}
