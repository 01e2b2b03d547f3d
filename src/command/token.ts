/** The command `token`: creates a token. */

import { buildCommand } from '@stricli/core'
import { type CommandLine, print } from './command-line.js'
import { switchFlag } from './flags.js'

/** Creates a token. */
export const tokenCommand = buildCommand<{ readonly json: boolean }, [], CommandLine>({
  func: token,
  parameters: {
    flags: {
      json: switchFlag('Print JSON'),
    },
  },
  docs: {
    brief: 'Create a token, and the SHA-256 of it for createTokenAuthenticator',
    fullDescription: [
      'Prints a token of 256 random bits, which the client gets, and its SHA-256, which belongs',
      'into the configuration of the service. The token is stored nowhere.',
    ].join('\n'),
  },
})

/** Prints a new token and its SHA-256. */
async function token(this: CommandLine, { json }: { readonly json: boolean }) {
  const { createToken } = await import('../auth/tokens.js')
  const created = await createToken()
  print(this, json ? JSON.stringify(created) : `token   ${created.token}`)
  if (!json) print(this, `sha256  ${created.sha256}`)
}
