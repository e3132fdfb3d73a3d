import { parseUrl } from '../parse-url.ts'

const maxLabelLength = 256
/** Names with dots or an @ between them; `v1.2` and `3.5` are none. */
const names =
  /[\p{L}\p{N}_-]+(?:[.@][\p{L}\p{N}_-]+)*[.@](?:[\p{L}_-][\p{L}\p{N}_-]*|\d+(?<=\d\.\d+\.\d+\.\d+))/gu

/**
 * Where a link leads, when its label may make believe something else: it names another address, its order on the
 * screen is not its order, or a name stands before the host. Undefined when the label is harmless.
 */
export function addressBeside(label: string, href: string): string | undefined {
  const { protocol, username, password, host, pathname } = new URL(href)
  const target = protocol === 'mailto:' ? pathname : host
  const isTricky = username !== '' || password !== '' || /\p{Bidi_Control}/u.test(label)
  return isTricky || namesOther(label, target) ? target : undefined
}

function namesOther(label: string, target: string): boolean {
  // As it looks: without what is invisible, with the dots that a browser takes for dots.
  const seen = label
    .slice(0, maxLabelLength)
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[。․]/g, '.')
    .trim()
    .toLowerCase()
  if (isAddressOf(seen, target)) return false
  const found = [...seen.matchAll(names)].map(([name]) => withoutWww(name))
  return (
    found.some((name) => name !== withoutWww(target)) || (found.length > 0 && label.length > maxLabelLength)
  )
}

/** Whether a label as a whole is an address of `target`, in the very characters of it. */
function isAddressOf(label: string, target: string): boolean {
  if (label === target) return true
  if (!label.includes(target) || /\s/.test(label)) return false
  const url = parseUrl(label) ?? parseUrl(`https://${label}`)
  return url !== undefined && url.username === '' && (url.host === target || url.pathname === target)
}

const withoutWww = (name: string): string => name.replace(/^www\./, '')
