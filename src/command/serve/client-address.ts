/** Finds the addresses of clients behind trusted proxies. */

import { BlockList, isIP, isIPv4 } from 'node:net'
import type { HttpHandler } from '../../http.js'
import { CommandError } from '../command-error.js'

/**
 * Returns a handler whose requests have the address of the client: the last one in
 * `X-Forwarded-For` that is not of a trusted proxy, if the request itself comes from one.
 * @param proxies - Addresses, or networks such as `10.0.0.0/8`.
 * @throws CommandError if one is neither.
 */
export function withClientAddress(handler: HttpHandler, proxies: readonly string[]): HttpHandler {
  if (proxies.length === 0) return handler
  const trusted = new BlockList()
  for (const proxy of proxies) addTo(trusted, proxy)
  const isTrusted = (address: string): boolean =>
    isIP(address) !== 0 && trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
  return (request) => {
    let address = withoutMapping(request.remoteAddress ?? '')
    const forwarded = (request.header('x-forwarded-for') ?? '').split(',').slice(-maxProxies)
    while (isTrusted(address)) {
      const next = withoutMapping((forwarded.pop() ?? '').trim())
      // What a client has written there must not get into a log.
      if (isIP(next) === 0) break
      address = next
    }
    return handler(address === '' ? request : { ...request, remoteAddress: address })
  }
}

const maxProxies = 20

/** Returns the IPv4 address of `::ffff:192.0.2.1`, the form in which a socket for both has it. */
function withoutMapping(address: string): string {
  const [, mapped = ''] = /^::ffff:([\d.]+)$/i.exec(address) ?? []
  return isIPv4(mapped) ? mapped : address
}

function addTo(trusted: BlockList, proxy: string): void {
  const [address = '', prefix, ...rest] = proxy.split('/')
  const family = isIPv4(address) ? 'ipv4' : 'ipv6'
  const maxPrefix = family === 'ipv4' ? 32 : 128
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= maxPrefix)
  if (isIP(address) === 0 || !isPrefix || rest.length > 0)
    throw new CommandError(
      '--trusted-proxy: must be an address or a network such as 10.0.0.0/8; separate several by commas',
    )
  if (prefix === undefined) trusted.addAddress(address, family)
  else trusted.addSubnet(address, Number(prefix), family)
}
