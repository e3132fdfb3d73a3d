import { parseUrl } from '../parse-url.ts'

const maxLabelLength = 256
/** Names joined by dots or an @, but not `v1.2` or `3.5`. */
const names =
  /[\p{L}\p{N}_-]+(?:[.@][\p{L}\p{N}_-]+)*[.@](?:[\p{L}_-][\p{L}\p{N}_-]*|\d+(?<=\d\.\d+\.\d+\.\d+))/gu

/**
 * The target of a link that may mislead: its label names another address, its label contains characters that
 * change the visual order, or its address has a user name or password before the host. Undefined when the
 * link is harmless.
 */
export function addressBeside(label: string, href: string): string | undefined {
  const { protocol, username, password, host, pathname } = new URL(href)
  const target = protocol === 'mailto:' ? pathname : host
  const isTricky = username !== '' || password !== '' || /\p{Bidi_Control}/u.test(label)
  return isTricky || namesOther(label, target) ? target : undefined
}

function namesOther(label: string, target: string): boolean {
  // The label as it looks: without invisible characters, and with the dots that browsers accept as dots.
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

/** Whether the whole label is an address of `target`, character for character. */
function isAddressOf(label: string, target: string): boolean {
  if (label === target) return true
  if (!label.includes(target) || /\s/.test(label)) return false
  const url = parseUrl(label) ?? parseUrl(`https://${label}`)
  return url !== undefined && url.username === '' && (url.host === target || url.pathname === target)
}

const withoutWww = (name: string): string => name.replace(/^www\./, '')
