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
  /**
   * Where the tokens are from: one that was generated, the flag `--token`, the environment, or a
   * file with a token for each caller.
   */
  readonly tokenSource: 'generated' | 'flag' | 'environment' | 'file'
  /** The file of the tokens; undefined if one token is valid for everything. */
  readonly tokensFile: string | undefined
  /** The ids of the callers who have a token. */
  readonly callers: readonly string[]
  readonly activity: 'memory' | 'store'
  readonly vaults: readonly Vault[]
  /** The sentence about the seed; undefined without one. */
  readonly seed: string | undefined
  readonly pageUrl: string | undefined
}

const maxVaults = 5
const maxCallers = 10

/**
 * Returns the screen. It says whether this is a stand-in with one token for everything, or a server
 * with a token for each caller.
 * @param token - The token that was generated for this run, which is on the screen once. No other
 * secret is.
 */
export function formatScreen(state: ServeState, token: string | undefined): string {
  const { version, origin, store, vaults, dialect, seed, pageUrl } = state
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
    ['Tokens', formatTokens(state)],
    ['Activity', state.activity === 'store' ? 'in the store' : undefined],
    ['Page', pageUrl],
    ['Dialect', `${dialect}${dialect === 'connect' ? '' : ' (clients need --dialect connect)'}`],
  ]
  const lines = [
    `cofferkit ${version}`,
    '',
    ...facts.flatMap(([name, text]) => (text === undefined ? [] : `  ${name.padEnd(9)}${text}`)),
    '',
    'Copy this into another terminal. The clients for JavaScript, Go, Python and Java, the',
    'Kubernetes operator, Terraform and Ansible read these two variables:',
    '',
    `  export OP_CONNECT_HOST=${origin}`,
    `  export OP_CONNECT_TOKEN=${token ?? ownTokens[state.tokenSource]}`,
    '  curl -H "Authorization: Bearer $OP_CONNECT_TOKEN" $OP_CONNECT_HOST/v1/vaults',
    '',
    ...(token === undefined ? [] : ['The token is valid for this run only; --token chooses one.']),
    'It is not 1Password and connects to no account. Ctrl+C stops it.',
    ...(state.tokensFile === undefined
      ? [
          'It has no TLS and one token for everything, so use it on this machine, for development',
          'and tests.',
        ]
      : ['It has no TLS, so put a proxy with TLS in front of it for other machines.']),
    '',
  ]
  return lines.join('\n')
}

/** Stands for a token that is not printed. */
const ownTokens = {
  generated: '',
  flag: "'<your --token>'",
  environment: '$COFFERKIT_TOKEN',
  file: "'<a token of the file>'",
}

/** Returns who has a token: a stand-in has one for everything. */
function formatTokens({ tokensFile, callers }: ServeState): string {
  if (tokensFile === undefined) return 'one for everything: a stand-in for tests and development'
  if (callers.length === 0) return `none yet: npx cofferkit token --tokens ${tokensFile} --add ID`
  const listed = callers.slice(0, maxCallers)
  if (callers.length > maxCallers) listed.push(`and ${callers.length - maxCallers} more`)
  return `${tokensFile}, of ${listed.join(', ')}`
}
