/** Runs a command on the service of a store. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  type Caller,
  type CallOptions,
  createCaller,
  createVaultService,
  type VaultService,
} from '../../index.js'
import { CommandError } from '../command-error.js'
import type { CommandLine } from '../command-line.js'
import { readSecret } from '../read-secret.js'
import { type CommandStore, openCommandStore } from './open-command-store.js'
import type { Access } from './open-store.js'
import { locateStore, type StoreFlags } from './store-flags.js'

/** Options of a call that rejects if a record is unreadable, instead of leaving it out. */
export const complete: CallOptions = {
  onUnreadable(error) {
    throw error
  },
}

/** The service of a store, and a caller with every permission. */
export interface OpenService {
  readonly service: VaultService
  readonly caller: Caller
  readonly opened: CommandStore
}

/**
 * Opens a store, calls `work` with a service on it, and closes both. The service has the connect
 * dialect, which accepts every item that either dialect accepts.
 */
export async function withService<Result>(
  line: CommandLine,
  flags: StoreFlags,
  access: Access,
  work: (open: OpenService) => Promise<Result>,
): Promise<Result> {
  if (access !== 'existing') checkStoreIsMeant(line, flags)
  const opened = await openCommandStore(line, flags, access)
  try {
    const { connectDialect } = await import('../../dialects/connect.js')
    // Each command itself reports the records that it leaves out.
    const onError = (): void => {}
    const service = createVaultService({ store: opened.store, dialect: connectDialect, onError })
    return await work({ service, caller: createCaller({ id: 'cofferkit', vaults: '*' }), opened })
  } finally {
    await opened.close()
  }
}

/**
 * @throws CommandError if the user works with a server and has not named a store, because a new
 * file in the current folder would be a surprise.
 */
function checkStoreIsMeant(line: CommandLine, flags: StoreFlags): void {
  const { env } = line.process
  const isNamed = flags.store !== undefined || readSecret(line, 'COFFERKIT_STORE') !== undefined
  if (isNamed || (env['OP_CONNECT_HOST'] ?? '') === '') return
  const location = locateStore(line, flags)
  if (location.kind === 'sqlite' && !existsSync(resolve(line.process.cwd(), location.path)))
    throw new CommandError(
      'this command writes to a store, not to the server of OP_CONNECT_HOST, and no store is named',
      `Pass --store: --store sqlite:${location.path} creates one in this folder.`,
    )
}
