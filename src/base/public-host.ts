/** Tells the hosts of the public internet from those of this machine and of private networks. */

import { argumentError, type Kind } from './argument.js'

/** Blocks of IPv4 that are not public (the registry of RFC 6890), with the length of their prefix. */
const reservedIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]

/**
 * Blocks of IPv6 within 2000::/3 that are not public: those of protocols such as Teredo, those for
 * documentation, and 6to4, whose addresses contain an IPv4 address.
 */
const reservedIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

/** Names that never belong to a public host (RFC 6761, RFC 6762, RFC 8375 and ICANN's `internal`). */
const reservedName = /(?:^|\.)(?:localhost|local|internal|home\.arpa|onion)$/

/**
 * Returns true if an address belongs to the public internet. Everything else is not public:
 * loopback, private, link-local and unique-local addresses, those of carriers (100.64.0.0/10),
 * documentation, tests, multicast and protocols, and every address of IPv6 that contains one of IPv4
 * (mapped, NAT64, 6to4, Teredo) or has a zone.
 * @param address - An address of IPv4 or IPv6. For any other string the result is false.
 */
export function isPublicAddress(address: string): boolean {
  const hostname = toHostname(address.includes(':') ? `[${address}]` : address)
  const isAddress = hostname === address || hostname?.startsWith('[')
  return hostname !== undefined && isAddress === true && isPublicIp(hostname)
}

/**
 * Returns true if the host of a URL may be public. An address must be public. A name must have a
 * dot, and must not be one that only local networks use. A name may still belong to an address that
 * is not public.
 * @param hostname - The `hostname` of a URL.
 */
export function isPublicHost(hostname: string): boolean {
  if (hostname.startsWith('[') || ipv4.test(hostname)) return isPublicIp(hostname)
  const name = hostname.replace(/\.$/, '')
  return name.includes('.') && !reservedName.test(name)
}

/**
 * The kind of a host without a port: a name, or an address of IPv4 or IPv6. It is converted to the
 * `hostname` of a URL.
 */
export const host: Kind<string> = (value, path) => {
  const isText = typeof value === 'string' && /^[\w.:[\]-]+$/.test(value)
  const text = /^[^[]*:[^[]*:/.test(value) ? `[${value}]` : value
  const hostname = isText ? toHostname(text) : undefined
  if (hostname !== undefined) return hostname
  throw argumentError(value, path, 'the name or the address of a host, without a port')
}

const ipv4 = /^\d+\.\d+\.\d+\.\d+$/

/**
 * Returns the canonical form of a host, as in a URL, or undefined if it is invalid or has a port.
 */
function toHostname(text: string): string | undefined {
  const url = `https://${text}`
  if (!URL.canParse(url) || /[/?#@%\s]|:\d*$/.test(text.replace(/^\[.*\]$/, ''))) return undefined
  return new URL(url).hostname
}

function isPublicIp(hostname: string): boolean {
  if (hostname.startsWith('[')) {
    const bits = toIpv6Bits(hostname.slice(1, -1))
    // Only 2000::/3 has been assigned.
    return bits.startsWith('001') && !isInBlock(bits, reservedIpv6, toIpv6Bits)
  }
  return ipv4.test(hostname) && !isInBlock(toIpv4Bits(hostname), reservedIpv4, toIpv4Bits)
}

function isInBlock(
  bits: string,
  blocks: readonly string[],
  toBlockBits: (address: string) => string,
): boolean {
  return blocks.some((block) => {
    const [address = '', length] = block.split('/')
    return bits.startsWith(toBlockBits(address).slice(0, Number(length)))
  })
}

function toIpv4Bits(address: string): string {
  return address
    .split('.')
    .map((part) => toBits(Number(part), 8))
    .join('')
}

/** Returns the bits of an address in the form that URLs have: hexadecimal groups and one `::`. */
function toIpv6Bits(address: string): string {
  const [left = [], right = []] = address
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right]
    .map((group) => toBits(Number.parseInt(group, 16), 16))
    .join('')
}

function toBits(number: number, length: number): string {
  return number.toString(2).padStart(length, '0')
}
