const tags =
  'div p h3 h4 h5 h6 hr br ul ol li blockquote section table thead tbody tr th td pre code span bdi a strong em del button'.split(
    ' ',
  )

const attributes: Readonly<Record<string, RegExp>> = {
  class: /^md-[a-z-]+$/,
  dir: /^(auto|ltr)$/,
  lang: /^en$/,
  href: /^(https?:\/\/[^/]|mailto:)/,
  rel: /^noopener noreferrer nofollow$/,
  target: /^_blank$/,
  title: /^/,
  scope: /^col$/,
  colspan: /^\d+$/,
  start: /^\d+$/,
  tabindex: /^0$/,
  role: /^group$/,
  type: /^button$/,
  'aria-label': /^(Code|Table)/,
  'aria-hidden': /^true$/,
  'aria-live': /^off$/,
  'data-language': /^[\w+#.-]{1,32}$/,
}

/** Markup other than the elements and attributes that Markdown may become. */
export function strayMarkup(markup: string): readonly string[] {
  return markup
    .split('<')
    .slice(1)
    .flatMap((rest) => {
      const match = /^(?:\/([a-z0-9]+)|([a-z0-9]+)((?: [a-z-]+="[^"]*")*)\/?)>/.exec(rest)
      if (match === null) return [rest]
      const [, closing, opening = closing ?? '', list = ''] = match
      return [...(tags.includes(opening) ? [] : [opening]), ...strayAttributes(list)]
    })
}

function strayAttributes(list: string): readonly string[] {
  return [...list.matchAll(/ ([a-z-]+)="([^"]*)"/g)]
    .filter(([, name = '', value = '']) => attributes[name]?.test(value) !== true)
    .map(([attribute]) => attribute)
}
