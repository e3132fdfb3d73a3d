import { parseUrl } from './parse-url.ts'

const safeProtocols = ['https:', 'http:', 'mailto:']
const maxAddressLength = 4096

/**
 * The address in its normal form if a person may follow it from here: absolute, and https, http or mailto. What the
 * URL parser reads is what comes out, so a browser cannot read another protocol into it.
 */
export function safeAddress(address: string): string | undefined {
  const url = address.length > maxAddressLength ? undefined : parseUrl(address)
  return url !== undefined && safeProtocols.includes(url.protocol) ? url.href : undefined
}
