/** Runs a command on the service of a store. */

import { connectDialect } from '../../dialects/connect.js'
import { type Caller, createCaller, createVaultService, type VaultService } from '../../index.js'
import type { CommandLine } from '../command-line.js'
import { type CommandStore, openCommandStore, type StoreFlags } from './store-flags.js'

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
  { isNew = false }: { readonly isNew?: boolean },
  work: (open: OpenService) => Promise<Result>,
): Promise<Result> {
  const opened = await openCommandStore(line, flags, isNew)
  try {
    if (isNew) await opened.migrate()
    const service = createVaultService({ store: opened.store, dialect: connectDialect })
    return await work({ service, caller: createCaller('cofferkit', '*'), opened })
  } finally {
    await opened.close()
  }
}
