import { BlockList, isIP } from 'node:net'

/** Whether a server that listens on `host` can be reached only from this machine. */
export function isLoopbackHost(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  const family = isIP(address)
  if (family === 0) return address === 'localhost'
  const loopback = new BlockList()
  loopback.addSubnet('127.0.0.0', 8, 'ipv4')
  loopback.addAddress('::1', 'ipv6')
  return loopback.check(address, family === 6 ? 'ipv6' : 'ipv4')
}
