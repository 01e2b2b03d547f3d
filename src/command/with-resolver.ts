/** Resolves secret references against a server or a store. */

import { isVaultError } from '../index.js'
import type { ReferenceResolver } from '../references.js'
import { CommandError } from './command-error.js'
import type { CommandLine } from './command-line.js'
import { createRemoteService } from './remote-service.js'
import { describeStore } from './store/parse-store.js'
import { locateStore, type StoreFlags } from './store/store-flags.js'
import { withService } from './store/with-service.js'

/** The help of every command that resolves references. */
export const secretSource = [
  'Secrets are read from the server of $OP_CONNECT_HOST with $OP_CONNECT_TOKEN, which can also be',
  'a 1Password Connect; or from a store, with --store, or if the variables are not set.',
]

/**
 * Calls `work` with a resolver: of the server in `OP_CONNECT_HOST` if there is no `--store`, else of
 * a store.
 */
export async function withResolver<Result>(
  line: CommandLine,
  flags: StoreFlags,
  work: (resolver: ReferenceResolver) => Promise<Result>,
): Promise<Result> {
  const { OP_CONNECT_HOST: host, OP_CONNECT_TOKEN: token } = line.process.env
  const { createReferenceResolver } = await import('../references.js')
  const isStoreNamed = flags.store !== undefined || flags.config !== undefined
  if (!isStoreNamed && host !== undefined && host !== '') {
    if (token === undefined || token === '')
      throw new CommandError('OP_CONNECT_TOKEN is not set', 'Set it to the token of the server.')
    return work(createReferenceResolver(createRemoteService(host, token), undefined))
  }
  try {
    return await withService(line, flags, 'existing', ({ service, caller }) =>
      work(createReferenceResolver(service, caller)),
    )
  } catch (error) {
    throw flags.store === undefined ? withSource(line, flags, error) : error
  }
}

/** Adds to the error where it was looked for, because the user may have meant a server. */
function withSource(line: CommandLine, flags: StoreFlags, error: unknown): unknown {
  if (!isVaultError(error) || error.code !== 'NOT_FOUND') return error
  const store = describeStore(locateStore(line, flags))
  return new CommandError(`${error.message} (in ${store}; OP_CONNECT_HOST is not set)`)
}
