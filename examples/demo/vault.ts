/**
 * A vault in an encrypted file, with a login, a document with two files, and an item that can be
 * deleted.
 */

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  createCaller,
  createVaultService,
  type VaultService,
  type VaultServiceOptions,
} from 'cofferkit'
import { createMemoryActivityLog } from 'cofferkit/activity'
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

/** A running vault: its URLs, its tokens and its contents. */
export interface DemoVault extends Contents {
  /** Such as `http://127.0.0.1:8787`. */
  readonly origin: string
  /** The URL of the same vault for published clients. */
  readonly clientOrigin: string
  /** The folder with the vault's file and its key. */
  readonly folder: string
  readonly tokens: DemoTokens
  /** Stops listening and closes the file. */
  close(): Promise<void>
}

/** Tokens that are created at the start and are valid for one run. */
export interface DemoTokens {
  /** Can read and write every vault. */
  readonly owner: string
  /** Can read the vault. */
  readonly reader: string
  /** Has no access to the vault. */
  readonly otherVault: string
}

/**
 * Starts the vault of this folder on `port`, or on a free port if that is taken or 0. Creates the
 * key, the file and the contents if they do not exist.
 */
export async function startVault(
  port: number,
  folder: string,
): Promise<DemoVault> {
  const keyFile = join(folder, 'vault.key')
  if (!existsSync(keyFile)) await createKeyFile(keyFile)
  const file = await openSqliteStore(join(folder, 'vault.db'))
  const keys = createLocalKeyProvider({ key: await readKeyFile(keyFile) })
  const options: VaultServiceOptions = {
    store: createEncryptedStore(file, { keys }),
    history: { maxVersions: 10 },
    activity: createMemoryActivityLog(),
    strict: true,
  }
  const service = createVaultService(options)
  const forClients = createVaultService({
    ...options,
    dialect: connectDialect,
    strict: false,
  })
  const contents = await findContents(
    service,
    createCaller({ id: 'setup', vaults: '*' }),
  )
  const tokens = {
    owner: newToken(),
    reader: newToken(),
    otherVault: newToken(),
  }
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
      {
        id: 'reader',
        sha256: await hashToken(tokens.reader),
        vaults: { [vaultId]: 'read' },
      },
      {
        id: 'otherVault',
        sha256: await hashToken(tokens.otherVault),
        vaults: {},
      },
    ],
  })
  return createHttpHandler(service, {
    authenticate: bearerAuth(authenticator),
    extensions: true,
  })
}

function newToken(): string {
  return randomBytes(24).toString('base64url')
}
