/** The command `token`: creates a token, and maintains the file of the tokens of `serve`. */

import { buildCommand } from '@stricli/core'
import { type CommandLine, print } from './command-line.js'
import { switchFlag, textFlag } from './flags.js'
import type { TokenFlags } from './token/change-tokens.js'

/** Creates a token, or changes a token file. */
export const tokenCommand = buildCommand<TokenFlags, [], CommandLine>({
  func: token,
  parameters: {
    flags: {
      tokens: textFlag('FILE', 'The token file of serve; default: $COFFERKIT_TOKENS_FILE'),
      add: textFlag('ID', 'Add a new token with this id to the file'),
      vault: {
        kind: 'parsed',
        parse: String,
        optional: true,
        variadic: true,
        placeholder: 'VAULT=PERMISSION',
        brief: 'With --add: read, write or read-write for a vault id; * is all of every vault',
      },
      expires: textFlag('TIME', 'With --add: when the token expires, such as 90d'),
      revoke: textFlag('ID', 'Remove the token with this id; - reads the token from the input'),
      list: switchFlag('List the tokens of the file'),
      json: switchFlag('Print JSON'),
    },
  },
  docs: {
    customUsage: [
      '',
      '--tokens tokens.json --add ci --vault VAULT=read --expires 90d',
      '--tokens tokens.json --revoke ci',
      '--tokens tokens.json --revoke - < leaked-token',
    ],
    brief: 'Create a token, or add one to the token file of serve, or revoke one',
    fullDescription: [
      'Without --add, --revoke and --list, it prints a token of 256 random bits, which the client',
      'gets, and its SHA-256, which belongs into the configuration of the service. The token is',
      'stored nowhere.',
      '',
      '--add also adds the SHA-256 to a token file, which is created with mode 0600. A server that',
      'runs with serve --tokens FILE accepts the token, or rejects a revoked one, within half a',
      'second. TIME is a time such as 2027-01-31T09:00:00Z, or a duration from now such as 90d.',
    ].join('\n'),
  },
})

/** Prints a new token and its SHA-256, or changes the token file. */
async function token(this: CommandLine, flags: TokenFlags) {
  const { tokens, add, vault, expires, revoke, list } = flags
  if (list || [tokens, add, vault, expires, revoke].some((flag) => flag !== undefined)) {
    const { changeTokens } = await import('./token/change-tokens.js')
    return changeTokens(this, flags)
  }
  const { createToken } = await import('../auth/tokens.js')
  const created = await createToken()
  print(this, flags.json ? JSON.stringify(created) : `token   ${created.token}`)
  if (!flags.json) print(this, `sha256  ${created.sha256}`)
}
