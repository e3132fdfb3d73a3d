import { parseUrl } from './parse-url.ts'

const safeProtocols = ['https:', 'http:', 'mailto:']
const maxAddressLength = 4096

/**
 * The normalised address if a person may follow it from here: absolute, and https, http or mailto. It is
 * exactly what the URL parser read, so a browser cannot read another protocol into it.
 */
export function safeAddress(address: string): string | undefined {
  const url = address.length > maxAddressLength ? undefined : parseUrl(address)
  return url !== undefined && safeProtocols.includes(url.protocol) ? url.href : undefined
}
