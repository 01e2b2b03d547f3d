/** The screen that `serve` prints when it is ready. */

import type { Vault } from '../../index.js'
import { printable, shorten } from '../command-line.js'

/** Everything that the screen shows. */
export interface ServeState {
  readonly version: string
  readonly origin: string
  /** True if it listens on every address of the machine. */
  readonly isOnEveryAddress: boolean
  readonly store: string
  /** True if the store is known to keep plaintext. */
  readonly isPlaintext: boolean
  readonly dialect: 'connect' | 'contract'
  /** The token, if it was generated for this run; undefined if the user has chosen it. */
  readonly token: string | undefined
  /** Where the token is from: generated, the flag `--token`, or `COFFERKIT_TOKEN`. */
  readonly tokenSource: 'generated' | 'flag' | 'environment'
  readonly vaults: readonly Vault[]
  /** The sentence about the seed; undefined without one. */
  readonly seed: string | undefined
  readonly pageUrl: string | undefined
}

const maxVaults = 5

/** Returns the screen. A generated token is on it once, and no other secret. */
export function formatScreen(state: ServeState): string {
  const { version, origin, store, token, vaults, dialect, seed, pageUrl } = state
  const listed = vaults
    .slice(0, maxVaults)
    .map(({ id, name }) => `${id}  ${shorten(printable(name))}`)
  if (vaults.length > maxVaults) listed.push(`and ${vaults.length - maxVaults} more`)
  const facts: readonly (readonly [string, string | undefined])[] = [
    [
      'Address',
      state.isOnEveryAddress ? `${origin}, on other machines the name of this one` : origin,
    ],
    ['Store', store + (state.isPlaintext ? ' (plaintext; --encrypt KEYFILE encrypts it)' : '')],
    ['Vaults', listed.join(`\n${' '.repeat(11)}`)],
    ['Seed', seed],
    ['Page', pageUrl],
    ['Dialect', `${dialect}${dialect === 'connect' ? '' : ' (clients need --dialect connect)'}`],
  ]
  const ownToken = state.tokenSource === 'flag' ? "'<your --token>'" : '$COFFERKIT_TOKEN'
  const lines = [
    `cofferkit ${version}`,
    '',
    ...facts.flatMap(([name, text]) => (text === undefined ? [] : `  ${name.padEnd(9)}${text}`)),
    '',
    'Copy this into another terminal. The clients for JavaScript, Go, Python and Java, the',
    'Kubernetes operator, Terraform and Ansible read these two variables:',
    '',
    `  export OP_CONNECT_HOST=${origin}`,
    `  export OP_CONNECT_TOKEN=${token ?? ownToken}`,
    '  curl -H "Authorization: Bearer $OP_CONNECT_TOKEN" $OP_CONNECT_HOST/v1/vaults',
    '',
    ...(token === undefined ? [] : ['The token is valid for this run only; --token chooses one.']),
    'It is not 1Password and connects to no account. It has no TLS and one token for everything:',
    'use it on this machine, for development and tests. Ctrl+C stops it.',
    '',
  ]
  return lines.join('\n')
}
