/** Creates a token. */

import { createToken } from '../../auth/tokens.js'
import { type CommandLine, print } from '../command-line.js'

/** Prints a new token and its SHA-256. */
export async function token(this: CommandLine, { json }: { readonly json: boolean }) {
  const created = await createToken()
  print(this, json ? JSON.stringify(created) : `token   ${created.token}`)
  if (!json) print(this, `sha256  ${created.sha256}`)
}
