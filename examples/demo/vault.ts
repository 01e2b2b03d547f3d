/** A vault on an encrypted file, with a login, a document with two files, and an item that may be deleted. */

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  createCaller,
  createMemoryActivityLog,
  createVaultService,
  type VaultService,
  type VaultServiceOptions,
} from 'cofferkit'
import { connectDialect } from 'cofferkit/connect'
import {
  createEncryptedStore,
  createKeyFile,
  createLocalKeyProvider,
  readKeyFile,
} from 'cofferkit/encrypted'
import { bearerAuth, createHttpHandler } from 'cofferkit/http'
import { createNodeListener } from 'cofferkit/node'
import { openSqliteStore } from 'cofferkit/sqlite'
import { createTokenAuthenticator, hashToken } from 'cofferkit/tokens'
import { type Contents, findContents } from './contents.js'
import { listen } from './listen.js'

/** The vault, where it listens, and what is in it. */
export interface DemoVault extends Contents {
  /** Such as `http://127.0.0.1:8787`. */
  readonly origin: string
  /** Where published clients find the same vault. */
  readonly clientOrigin: string
  /** Where the vault's file and its key are. */
  readonly folder: string
  readonly tokens: DemoTokens
  /** Stops listening and closes the file. */
  close(): Promise<void>
}

/** Tokens made at the start, of no use afterwards. */
export interface DemoTokens {
  /** Reads and writes every vault. */
  readonly owner: string
  /** Reads the vault. */
  readonly reader: string
  /** Has no right in the vault. */
  readonly stranger: string
}

/**
 * Starts the vault of this folder on `port`, or on a free one if that is taken or 0. What is not in the folder yet is
 * made: the key, the file, and what the vault holds.
 */
export async function startVault(port: number, folder: string): Promise<DemoVault> {
  const keyFile = join(folder, 'vault.key')
  if (!existsSync(keyFile)) await createKeyFile(keyFile)
  const file = await openSqliteStore(join(folder, 'vault.db'))
  const keys = createLocalKeyProvider({ key: await readKeyFile(keyFile) })
  const options: VaultServiceOptions = {
    store: createEncryptedStore(file, { keys }),
    history: { maxVersions: 10 },
    activity: createMemoryActivityLog(),
  }
  const service = createVaultService(options)
  const forClients = createVaultService({ ...options, dialect: connectDialect })
  const contents = await findContents(service, createCaller('setup', '*'))
  const tokens = { owner: newToken(), reader: newToken(), stranger: newToken() }
  const api = await createApi(service, contents.vaultId, tokens)
  const clientApi = await createApi(forClients, contents.vaultId, tokens)
  const { origin, close } = await listen(createNodeListener(api), port)
  const clientSide = await listen(createNodeListener(clientApi), 0)
  return {
    ...contents,
    origin,
    clientOrigin: clientSide.origin,
    folder,
    tokens,
    close: async () => {
      close()
      clientSide.close()
      await file.close()
    },
  }
}

async function createApi(
  service: VaultService,
  vaultId: string,
  tokens: DemoTokens,
): Promise<ReturnType<typeof createHttpHandler>> {
  const authenticator = createTokenAuthenticator({
    tokens: [
      { id: 'owner', sha256: await hashToken(tokens.owner), vaults: '*' },
      { id: 'reader', sha256: await hashToken(tokens.reader), vaults: { [vaultId]: 'read' } },
      { id: 'otherVault', sha256: await hashToken(tokens.stranger), vaults: {} },
    ],
  })
  return createHttpHandler(service, { authenticate: bearerAuth(authenticator), extensions: true })
}

function newToken(): string {
  return randomBytes(24).toString('base64url')
}
