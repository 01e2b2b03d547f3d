import { describe, expect, it } from 'vitest'
import { host, isPublicAddress, isPublicHost } from '../../src/base/public-host.js'

const hidden = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.255'],
  ...['127.0.0.1', '127.255.255.254', '169.254.169.254', '172.16.0.1', '172.31.255.255'],
  ...['192.0.0.8', '192.0.2.1', '192.88.99.1', '192.168.1.1', '198.18.0.1', '198.19.255.255'],
  ...['198.51.100.7', '203.0.113.9', '224.0.0.1', '239.255.255.255', '240.0.0.1'],
  ...['255.255.255.255', '::', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8'],
  ...['::127.0.0.1', '64:ff9b::10.0.0.1', '64:ff9b::808:808', '64:ff9b:1::1', '100::1'],
  ...['2001::1', '2001:0:4136:e378::1', '2001:10::1', '2001:1ff:ffff::', '2001:db8::1'],
  ...['2002:7f00:1::', '2002:a00:1::1', '3fff::1', '3fff:fff::1', '5f00::1', 'fc00::1'],
  ...['fd12:3456::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', 'FE80::1'],
]
const shown = [
  ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0'],
  ...['126.255.255.255', '128.0.0.1', '172.15.255.255', '172.32.0.0', '192.0.1.1', '192.0.3.1'],
  ...['198.17.255.255', '198.20.0.0', '223.255.255.255', '2001:200::1', '2001:4860:4860::8888'],
  ...['2606:4700::1111', '2a00:1450:4001:82a::200e', '2003::1', '3ffe::1'],
]

describe('isPublicAddress', () => {
  it.each(hidden)('returns false for %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  it.each(shown)('returns true for %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  it.each([
    '',
    'example.com',
    '8.8',
    '134744072',
    '0x08080808',
    '8.8.8.8:80',
    '[2606:4700::1]',
    ':',
  ])('returns false for %s, which is no address', (text) => {
    expect(isPublicAddress(text)).toBe(false)
  })
})

describe('isPublicHost', () => {
  it.each([
    ...['localhost', 'localhost.', 'a.localhost', 'redis', 'printer.local', 'vault.internal'],
    ...['metadata.google.internal', 'metadata.google.internal.', 'nas.home.arpa', 'a.onion'],
    ...['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '127.1', '[::1]', '[::ffff:127.0.0.1]'],
    ...['[fe80::1]', '10.0.0.1.', '①②⑦.0.0.1', 'LOCALHOST'],
  ])('returns false for https://%s', (name) => {
    expect(isPublicHost(new URL(`https://${name}`).hostname)).toBe(false)
  })

  it.each(['api.example.com', 'example.com.', '8.8.8.8', '[2606:4700::1111]', 'local.example.com'])(
    'returns true for https://%s',
    (name) => {
      expect(isPublicHost(new URL(`https://${name}`).hostname)).toBe(true)
    },
  )
})

describe('host', () => {
  it.each([
    ['Billing.Internal', 'billing.internal'],
    ['10.0.0.5', '10.0.0.5'],
    ['127.1', '127.0.0.1'],
    ['::1', '[::1]'],
    ['[fd12:0:0::1]', '[fd12::1]'],
    ['my_service', 'my_service'],
  ])('converts %s to %s', (given, expected) => {
    expect(host(given, 'path')).toBe(expected)
  })

  it.each(['', 'a:80', '[::1]:80', 'a/b', 'a@b', 'a b', '%61', 'https://a', 'fe80::1%eth0', 5])(
    'rejects %s',
    (given) => {
      expect(() => host(given as string, 'path')).toThrow(
        new TypeError('path must be the name or the address of a host, without a port'),
      )
    },
  )
})
