import { BlockList, isIP } from 'node:net'

/** Ranges outside the public internet: RFC 6890 and the IANA registries that it refers to. */
const closedRanges = {
  ipv4: [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16', // includes the metadata services of cloud machines
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ],
  // IANA assigns only 2000::/3 of IPv6. Some ranges inside it are special, and some embed an IPv4 address.
  ipv6: ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
} as const

/** Whether an IP address is on the public internet; false for a text that is not an address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !createList('ipv4').check(address, 'ipv4')
  return family === 6 && isGlobalUnicast(address) && !createList('ipv6').check(address, 'ipv6')
}

function isGlobalUnicast(address: string): boolean {
  const list = new BlockList()
  list.addSubnet('2000::', 3, 'ipv6')
  return list.check(address, 'ipv6')
}

function createList(family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of closedRanges[family]) {
    const [network = '', bits] = range.split('/')
    list.addSubnet(network, Number(bits), family)
  }
  return list
}
