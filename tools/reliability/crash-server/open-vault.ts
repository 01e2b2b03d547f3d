/** Opens the vault of the crash check on a database server. */

import { createVaultService, type VaultService, type VaultStore } from 'cofferkit'
import { createEncryptedStore, createLocalKeyProvider } from 'cofferkit/encrypted'

/** The plain store, or the encrypted one. */
export type Form = 'plain' | 'encrypted'

/** A server that can be killed. */
export interface CrashableServer {
  /** The same after a restart. */
  readonly url: string
  /** Kills all its processes with SIGKILL, and resolves when they have ended. */
  kill(): Promise<void>
  /** Resolves when it has recovered and accepts connections. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** A store with connections of its own. */
export interface ServerConnection {
  readonly store: VaultStore
  migrate(): Promise<void>
  /** The number of blobs, with or without an item. */
  countBlobs(): Promise<number>
  close(): Promise<void>
}

/** A kind of database server. */
export interface ServerKind {
  /** The name of the program that checks it. */
  readonly program: string
  readonly title: string
  /** Settings with which it acknowledges before its log is written, for the negative control. */
  readonly unsafe: Readonly<Record<string, string>>
  start(settings?: Readonly<Record<string, string>>): Promise<CrashableServer>
  connect(url: string): ServerConnection
}

/** A service on a connection. */
export interface OpenVault extends ServerConnection {
  readonly service: VaultService
}

const keys = createLocalKeyProvider({ key: new Uint8Array(32).fill(7) })

/** Opens the vault through a connection. Its clock is ahead by `aheadMs` milliseconds. */
export function openVault(connection: ServerConnection, form: Form, aheadMs = 0): OpenVault {
  const { store } = connection
  const service = createVaultService({
    store: form === 'plain' ? store : createEncryptedStore(store, { keys }),
    limits: { tags: 1_000_000 },
    now: () => new Date(Date.now() + aheadMs),
  })
  return { ...connection, service }
}
