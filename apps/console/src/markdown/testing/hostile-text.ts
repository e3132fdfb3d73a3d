import fc from 'fast-check'

const lines = [
  ...[
    '',
    ' ',
    'a',
    'b c',
    '- x',
    '  - y',
    '* z',
    '1. one',
    '2) two',
    '- [ ] t',
    '- [x] d',
    '-',
    '    code',
    '\tt',
  ],
  ...[
    '> q',
    '>',
    '>> r',
    '# h',
    '## h ##',
    '---',
    '***',
    '===',
    '| a | b |',
    '|---|:-:|',
    '| 1 | 2',
    '|',
    '\\|',
  ],
  ...[
    '```',
    '```js" onload=x',
    '~~~',
    '<div onclick=x>',
    '</div>',
    '<!-- c',
    '-->',
    '<script>',
    '</script>',
    '<?x',
  ],
  ...[
    '[a]: javascript:x',
    '[a]: https://a.b "t"',
    '[__proto__]: //x',
    '<![CDATA[',
    ']]>',
    '<svg/onload=x>',
    '\r',
  ],
]

const words = [
  ...[
    '*',
    '**',
    '_',
    '__',
    '~',
    '~~',
    '`',
    '``',
    '[',
    ']',
    '(',
    ')',
    '![',
    '](',
    '<',
    '>',
    '"',
    "'",
    '\\',
    '&',
    ';',
  ],
  ...[
    'javascript:',
    'data:text/html,',
    'vbscript:',
    'https://a.b',
    'http://',
    'www.',
    'mailto:',
    'a@b.c',
    '//',
    '#',
  ],
  ...[
    '&#106;',
    '&#x3a;',
    '&colon;',
    '&lt;',
    '&amp;',
    '%3a',
    '\u0000',
    '\u0001',
    '\t',
    '\u202e',
    '\u200b',
    '\ufeff',
  ],
  ...[
    '<a href=',
    '<img src=x onerror=',
    '<b>',
    '</b>',
    '<!--',
    '-->',
    'style=',
    'a',
    ' ',
    '  \n',
    '\ud83d',
    '😀',
    'א',
  ],
]

/** Random combinations of marks that mean something in Markdown, HTML or an address. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom(...lines), { maxLength: 12 }).map((parts) => parts.join('\n')),
  fc.array(fc.constantFrom(...words), { maxLength: 24 }).map((parts) => parts.join('')),
  fc
    .array(fc.oneof(fc.constantFrom(...lines), fc.constantFrom(...words), fc.constant('\n')), {
      maxLength: 24,
    })
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 200 }),
)

/** A text and its prefixes, each longer than the one before; the last is the whole text. */
export const growingText: fc.Arbitrary<readonly string[]> = hostileText.chain((text) =>
  fc
    .uniqueArray(fc.nat({ max: text.length }), { maxLength: 12 })
    .map((ends) => [...ends.toSorted((a, b) => a - b), text.length].map((end) => text.slice(0, end))),
)
