import fc from 'fast-check'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { Blocks } from './blocks-view.tsx'
import { Markdown } from './markdown.tsx'
import { nothingRead, type Reading, readBlocks } from './markdown-blocks.ts'
import { growingText, hostileText } from './testing/hostile-text.ts'
import { strayMarkup } from './testing/stray-markup.ts'

const runs = (base: number): number => base * Number(process.env['SLUICE_ROUNDS'] ?? 1)

/** The markup inside the wrapper. */
function show(text: string, { isOpen = false }: { readonly isOpen?: boolean | undefined } = {}): string {
  const markup = renderToStaticMarkup(<Markdown text={text} isOpen={isOpen} />)
  return markup.replace(/^<div class="md-text">|<\/div>$/g, '')
}

const link = (href: string, label: string): string =>
  `<a href="${href}" rel="noopener noreferrer nofollow" target="_blank"><bdi>${label}</bdi>` +
  '<span class="md-hidden" lang="en"> (opens in a new tab)</span></a>'
const beside = (address: string): string => ` <bdi class="md-address" dir="ltr">(${address})</bdi>`

const markup: Record<string, readonly (readonly [text: string, markup: string])[]> = {
  text: [
    ['', ''],
    ['a **b** _c_ ~~d~~', '<p dir="auto">a <strong>b</strong> <em>c</em> <del>d</del></p>'],
    ['a  \nb\\\nc\nd', '<p dir="auto">a<br/>b<br/>c\nd</p>'],
    ['`<b> &amp;`', '<p dir="auto"><code class="md-code-text">&lt;b&gt; &amp;amp;</code></p>'],
    ['&copy; &#8594; &amp;lt; &nope; \\*', '<p dir="auto">© → &amp;lt; &amp;nope; *</p>'],
    ['<b>a</b> <!-- c -->', '<p dir="auto">&lt;b&gt;a&lt;/b&gt; &lt;!-- c --&gt;</p>'],
    ['<div>\n*a*', '<p class="md-literal" dir="auto"><span>&lt;div&gt;\n*a*</span></p>'],
    ['***', '<hr/>'],
    ['> a', '<blockquote dir="auto"><p dir="auto">a</p></blockquote>'],
  ],
  headings: [
    ['# a', '<h3 dir="auto">a</h3>'],
    ['a\n-', '<h3 dir="auto">a</h3>'],
    ['### a\n# b\n### c', '<h3 dir="auto">a</h3><h3 dir="auto">b</h3><h4 dir="auto">c</h4>'],
    [
      '# a\n> ## b\n\n## c',
      '<h3 dir="auto">a</h3><blockquote dir="auto"><h4 dir="auto">b</h4></blockquote><h4 dir="auto">c</h4>',
    ],
    [
      '# a\n## b\n### c\n#### d\n##### e',
      ['h3', 'h4', 'h5', 'h6', 'h6'].map((h, n) => `<${h} dir="auto">${'abcde'[n]}</${h}>`).join(''),
    ],
  ],
  'links and images': [
    ['[a](https://b.c/d)', `<p dir="auto">${link('https://b.c/d', 'a')}</p>`],
    [
      '<https://b.c/?d&amp;e>',
      `<p dir="auto">${link('https://b.c/?d&amp;amp;e', 'https://b.c/?d&amp;amp;e')}</p>`,
    ],
    ['[a](https://b.c/?d&amp;e)', `<p dir="auto">${link('https://b.c/?d&amp;e', 'a')}</p>`],
    ['a@b.co', `<p dir="auto">${link('mailto:a@b.co', 'a@b.co')}</p>`],
    ['[a]\n\n[a]: https://b.c\n\n[a]', `<p dir="auto">[a]</p><p dir="auto">${link('https://b.c/', 'a')}</p>`],
    ['[](https://b.c)', `<p dir="auto">${link('https://b.c/', 'https://b.c/')}</p>`],
    ['[a](/b)', `<p dir="auto"><span><bdi>a</bdi>${beside('/b')}</span></p>`],
    ['<ftp://b.c>', '<p dir="auto"><span><bdi>ftp://b.c</bdi></span></p>'],
    ['[b.c](https://evil.org)', `<p dir="auto">${link('https://evil.org/', 'b.c')}${beside('evil.org')}</p>`],
    [
      '[a](https://evil.org "b.c")',
      `<p dir="auto">${link('https://evil.org/', 'a').replace(' rel', ' title="b.c" rel')}${beside('evil.org')}</p>`,
    ],
    ['![*a*](https://b.c/d.png)', `<p dir="auto">${link('https://b.c/d.png', 'Image: a')}</p>`],
    ['![](data:x)', `<p dir="auto"><span><bdi>Image: no description</bdi>${beside('data:x')}</span></p>`],
    ['[![a](https://b.c/d.png)](https://e.f)', `<p dir="auto">${link('https://e.f/', 'Image: a')}</p>`],
  ],
  lists: [
    [
      '- a\n- b',
      '<ul dir="auto"><li dir="auto"><p dir="auto">a</p></li><li dir="auto"><p dir="auto">b</p></li></ul>',
    ],
    [
      '- a\n\n- b',
      '<ul dir="auto"><li dir="auto"><p dir="auto">a</p></li><li dir="auto"><p dir="auto">b</p></li></ul>',
    ],
    ['1. a', '<ol dir="auto"><li dir="auto"><p dir="auto">a</p></li></ol>'],
    ['7. a', '<ol dir="auto" start="7"><li dir="auto"><p dir="auto">a</p></li></ol>'],
    [
      '- [x] a\n- [ ] b',
      '<ul dir="auto"><li class="md-task" dir="auto"><span class="md-mark" aria-hidden="true">☑</span>' +
        '<span class="md-hidden" lang="en">done: </span><p dir="auto">a</p></li>' +
        '<li class="md-task" dir="auto"><span class="md-mark" aria-hidden="true">☐</span>' +
        '<span class="md-hidden" lang="en">not done: </span><p dir="auto">b</p></li></ul>',
    ],
  ],
  'tables and code': [
    [
      '| a *b* | |\n|--:|---|\n| 1 | 2 |',
      '<section class="md-table" aria-label="Table: a b" tabindex="0"><table dir="auto"><thead><tr>' +
        '<th scope="col" dir="auto" class="md-end">a <em>b</em></th><td></td></tr></thead><tbody><tr>' +
        '<td dir="auto" class="md-end">1</td><td dir="auto">2</td></tr></tbody></table></section>',
    ],
    [
      '```c++ x\n<a>\n```',
      '<div class="md-code" data-language="c++"><div class="md-code-head" lang="en" dir="ltr"><span>c++</span></div>' +
        '<pre tabindex="0" role="group" aria-label="Code, c++" dir="auto"><code><span>&lt;a&gt;</span></code></pre></div>',
    ],
    [
      '    a',
      '<div class="md-code"><div class="md-code-head" lang="en" dir="ltr"><span>code</span></div>' +
        '<pre tabindex="0" role="group" aria-label="Code" dir="auto"><code><span>a</span></code></pre></div>',
    ],
  ],
}

describe.each(Object.entries(markup))('<Markdown> shows %s', (_, rows) => {
  test.each(rows)('%j', (text, expected) => expect(show(text)).toBe(expected))
})

describe('<Markdown>', () => {
  test.each([
    ['de', ' lang="de"'],
    ['zh-Hant-TW', ' lang="zh-Hant-TW"'],
    ['und', ''],
    ['', ''],
    ['en" onclick="x', ''],
  ])('marks the language %j', (language, expected) => {
    const shown = renderToStaticMarkup(<Markdown text="a" isOpen language={language} />)
    expect(shown).toBe(`<div class="md-text"${expected}><p dir="auto">a</p></div>`)
  })

  test('a row that is too long takes the place of all columns', () => {
    expect(show(`|a|b|\n|-|-|\n|${'*x*'.repeat(11_000)}`)).toContain(
      '<td dir="auto" colSpan="2"><span class="md-literal">|*x*',
    )
  })

  test('shows a long text in pieces that can be laid out alone', () => {
    const line = 'x'.repeat(99)
    const code = `${`${line}\n`.repeat(200)}end`
    const piece = Array.from({ length: 82 }, () => line).join('\n')
    expect(show(`\`\`\`\n${code}\n\`\`\``)).toContain(
      `<code><span class="md-piece">${piece}</span><span class="md-piece">${piece}</span><span>${line}\n`,
    )
  })

  test('shows the same for a text that grows as for all of it at once', () => {
    fc.assert(
      fc.property(growingText, (texts) => {
        const grown = texts.reduce<Reading>(
          (reading, text) => readBlocks(reading, text, { isOpen: true }),
          nothingRead,
        )
        const text = texts.at(-1) ?? ''
        const { blocks } = readBlocks(grown, text, { isOpen: false })
        expect(renderToStaticMarkup(<Blocks pages={blocks} />)).toBe(show(text))
      }),
      { numRuns: runs(500) },
    )
  })
})

describe('<Markdown> lets nothing through that is not in its list', () => {
  test('of elements and attributes, whatever the text', () => {
    fc.assert(
      fc.property(hostileText, fc.boolean(), (text, isOpen) => {
        expect(strayMarkup(show(text, { isOpen }))).toEqual([])
      }),
      { numRuns: runs(3000) },
    )
  })

  test.each([
    '<script>alert(1)</script>',
    '<SCRIPT SRC=//evil.org/x.js></SCRIPT>',
    'a <script>alert(1)</script> b',
    '<img src=x onerror=alert(1)>',
    '<svg onload=alert(1)><animate onbegin=alert(1) attributeName=x></svg>',
    '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
    '<math><mtext><mglyph><style><img src=x onerror=alert(1)></style></mglyph></mtext></math>',
    '<style>@import "//evil.org";</style>',
    '<p style="background:url(//evil.org)">x</p>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<object data="data:text/html,x"></object><embed src="//evil.org">',
    '<base href="//evil.org/">',
    '<meta http-equiv="refresh" content="0;url=//evil.org">',
    '<link rel=stylesheet href=//evil.org>',
    '<form action="//evil.org"><input name=a><button formaction="javascript:alert(1)">x</button></form>',
    '<details open ontoggle=alert(1)>',
    '<a href="javascript:alert(1)" onclick="alert(1)">x</a>',
    '<!-- <script>alert(1)</script> -->',
    '<!--><script>alert(1)</script>',
    '<![CDATA[<script>alert(1)</script>]]>',
    '<?xml-stylesheet href="javascript:alert(1)"?>',
    '<scr<script>ipt>alert(1)</scr</script>ipt>',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    '&#60;script&#62;alert(1)&#60;/script&#62;',
    '\\<script>alert(1)</script>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x]( javascript:alert(1))',
    '[x](<javascript:alert(1)>)',
    '[x](<java\tscript:alert(1)>)',
    '[x](\u0001javascript:alert(1))',
    '[x](javascript&#58;alert(1))',
    '[x](&#106;avascript:alert(1))',
    '[x](&#x6A&#x61;vascript&colon;alert(1))',
    '[x](javascript&Tab;:alert(1))',
    '[x](java&NewLine;script:alert(1))',
    '[x](javascript%3Aalert(1))',
    '[x](\\javascript:alert(1))',
    '[x](javascript\\:alert(1))',
    '[x](vbscript:msgbox(1))',
    '[x](data:text/html;base64,PHNjcmlwdD4=)',
    '[x](blob:https://a.b/c) [y](file:///etc/passwd) [z](filesystem:https://a.b/c)',
    '[x](//evil.org) [y](/v1/sessions) [z](#a)',
    '[x](https://a.b"onmouseover="alert(1))',
    '[x](https://a.b \'x" onmouseover="alert(1)\')',
    '![x](javascript:alert(1))',
    '![x](https://a.b/c.png "x\\" onload=\\"alert(1)")',
    '![x"onerror="alert(1)](https://a.b/c.png)',
    '[![x](javascript:alert(1))](javascript:alert(2))',
    '[[x](javascript:alert(1))](https://a.b)',
    '<javascript:alert(1)>',
    '<data:text/html,x>',
    'javascript:alert(1)',
    '[x]: javascript:alert(1)\n\n[x] [y][x] ![z][x]',
    '[x]: &#106;avascript:alert(1) "t"\n[x]',
    '[__proto__]: https://a.b\n[constructor]: javascript:alert(1)\n\n[__proto__] [constructor] [toString]',
    '[x](\ud800javascript:alert(1)) \udc00',
    '```" onload="alert(1)\nx\n```',
    '```<script>\nx\n```',
    '| <script>alert(1)</script> |\n|---|\n| <img src=x onerror=alert(1)> |',
    '- [x] <script>alert(1)</script>\n> # <iframe src=x>',
    '# <img src=x onerror=alert(1)>',
    '**<b onclick=alert(1)>x</b>**',
    '`</code><script>alert(1)</script>`',
    '    </code></pre><script>alert(1)</script>',
    '<table><tr><td background="javascript:alert(1)">',
    '\u2028<script>alert(1)</script>\u2029',
    '<template><script>alert(1)</script></template><noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<div id="root" class="dialog" style="position:fixed;inset:0">',
    '<custom-element onpointerenter=alert(1)>',
    '+ADw-script+AD4-alert(1)+ADw-/script+AD4-',
    '\\u003cscript\\u003ealert(1)\\u003c/script\\u003e',
  ])('%j', (text) => {
    for (const isOpen of [true, false]) {
      const shown = show(text, { isOpen })
      expect(strayMarkup(shown)).toEqual([])
      expect(shown).not.toMatch(/<a [^>]*href="(?!https?:\/\/|mailto:)/)
    }
  })

  test.each([
    ['<p onclick="x">', [' onclick="x"']],
    ['<script>', ['script']],
    ['<a href="javascript:x">', [' href="javascript:x"']],
    ['<p style="color:red">', [' style="color:red"']],
    ['<p class="dialog">', [' class="dialog"']],
    ['<p x>', ['p x>']],
  ])('and the list is one: %s', (bad, found) => expect(strayMarkup(bad)).toEqual(found))
})
