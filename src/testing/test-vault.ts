/** A vault that is ready to be tested against: a service, its handler, an item with files, and tokens. */

import { createTokenAuthenticator, hashToken } from '../auth/tokens.js'
import {
  bearerAuth,
  createHttpHandler,
  type HttpHandler,
  type HttpHandlerOptions,
} from '../http.js'
import {
  type Caller,
  createCaller,
  createVaultService,
  type FileDetails,
  type Item,
  type VaultService,
  type VaultServiceOptions,
  type VaultStore,
} from '../index.js'
import { createMemoryStore } from '../storage/memory.js'
import { createSeededRandomBytes, createTestClock, type TestClock } from './deterministic.js'
import { loginDraft } from './item-drafts.js'

/** Bearer tokens that the test vault's handler knows. */
export interface TestTokens {
  /** Reads and writes every vault. */
  readonly full: string
  /** Reads the test vault. */
  readonly reader: string
  /** Writes the test vault. */
  readonly writer: string
  /** Reads and writes a vault that is not there. */
  readonly otherVault: string
}

/** A service with one vault, one item, a small and a large file, and everything fixed: clock, ids, generated values. */
export interface TestVault {
  readonly service: VaultService
  readonly handler: HttpHandler
  readonly store: VaultStore
  readonly clock: TestClock
  /** Reads and writes every vault. */
  readonly caller: Caller
  readonly tokens: TestTokens
  readonly vaultId: string
  readonly item: Item
  /** 5 bytes: `hello`. */
  readonly smallFile: FileDetails
  /** 1,025 bytes, one more than is inlined. */
  readonly largeFile: FileDetails
}

/** A new test vault, on a memory store unless options say otherwise. */
export async function createTestVault(
  options: Partial<VaultServiceOptions> = {},
  httpOptions: Partial<HttpHandlerOptions> = {},
): Promise<TestVault> {
  const clock = createTestClock()
  const store = options.store ?? createMemoryStore()
  const service = createVaultService({
    now: clock,
    randomBytes: createSeededRandomBytes(),
    maxInlineFileSizeKb: 1,
    ...options,
    store,
  })
  const caller = createCaller('tester', '*')
  const { id: vaultId } = await service.createVault(caller, { name: 'Test' })
  const { id: itemId } = await service.createItem(caller, { vaultId, item: loginDraft(vaultId) })
  const attach = (name: string, content: Uint8Array): Promise<FileDetails> =>
    service.attachFile(caller, { vaultId, itemId, name, content, sectionId: 'more' })
  const smallFile = await attach('hello.txt', new TextEncoder().encode('hello'))
  const largeFile = await attach('large.bin', new Uint8Array(1025).fill(7))
  const tokens = {
    full: 'full-token',
    reader: 'reader-token',
    writer: 'writer-token',
    otherVault: 'stranger-token',
  }
  const handler = createHttpHandler(service, {
    authenticate: await createAuthenticate(tokens, vaultId),
    ...httpOptions,
  })
  const item = await service.getItem(caller, { vaultId, itemId })
  return { service, handler, store, clock, caller, tokens, vaultId, item, smallFile, largeFile }
}

async function createAuthenticate(
  tokens: TestTokens,
  vaultId: string,
): Promise<HttpHandlerOptions['authenticate']> {
  const permissions = {
    full: '*',
    reader: { [vaultId]: 'read' },
    writer: { [vaultId]: 'write' },
    otherVault: { ['z'.repeat(26)]: 'read-write' },
  } as const
  const entries = Object.entries(tokens).map(async ([id, token]: [string, string]) => ({
    id,
    sha256: await hashToken(token),
    vaults: permissions[id as keyof TestTokens],
  }))
  return bearerAuth(createTokenAuthenticator({ tokens: await Promise.all(entries) }))
}
