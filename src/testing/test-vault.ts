/** A ready test vault: a service, its HTTP handler, an item with two files, and tokens. */

import { assertOptions } from '../assert-argument.js'
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

/** Bearer tokens that the test vault's handler accepts. */
export interface TestTokens {
  /** Can read and write every vault. */
  readonly full: string
  /** Can only read, and only the test vault. */
  readonly reader: string
  /** Can only write, and only the test vault. */
  readonly writer: string
  /** Can only read and write a vault that does not exist. */
  readonly otherVault: string
}

/**
 * A service with one vault, one login with a small and a large file, and a handler for it. Its
 * clock, ids and generated values are the same in every run.
 */
export interface TestVault {
  readonly service: VaultService
  readonly handler: HttpHandler
  readonly store: VaultStore
  readonly clock: TestClock
  /** Can read and write every vault; its id is `tester`. */
  readonly caller: Caller
  readonly tokens: TestTokens
  readonly vaultId: string
  /** Created from `loginDraft`. At version 3, because two files were attached. */
  readonly item: Item
  /** 5 bytes: `hello`. */
  readonly smallFile: FileDetails
  /** 1,025 bytes, one more than `maxInlineFileSizeKb: 1` inlines. */
  readonly largeFile: FileDetails
}

/**
 * Creates a test vault. A change that a concurrent writer prevents is tried again without a delay.
 * @param options Options of `createVaultService`. The default store is a memory store, and without
 * a `dialect` the default of `strict` is true.
 * @param httpOptions Options of `createHttpHandler`. The default authenticator accepts `tokens`.
 * @throws TypeError if an option has the wrong type.
 */
export async function createTestVault(
  options: Partial<VaultServiceOptions> = {},
  httpOptions: Partial<HttpHandlerOptions> = {},
): Promise<TestVault> {
  assertOptions(options)
  assertOptions(httpOptions, 'httpOptions')
  const clock = createTestClock()
  const store = options.store ?? createMemoryStore()
  const service = createVaultService({
    now: clock,
    randomBytes: createSeededRandomBytes(),
    maxInlineFileSizeKb: 1,
    strict: options.dialect === undefined,
    ...options,
    retry: { sleep: async () => {}, ...options.retry },
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
    otherVault: 'other-vault-token',
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
  const entries = [
    { id: 'full', token: tokens.full, vaults: '*' },
    { id: 'reader', token: tokens.reader, vaults: { [vaultId]: 'read' } },
    { id: 'writer', token: tokens.writer, vaults: { [vaultId]: 'write' } },
    { id: 'otherVault', token: tokens.otherVault, vaults: { ['z'.repeat(26)]: 'read-write' } },
  ] as const
  const hashed = entries.map(async ({ id, token, vaults }) => ({
    id,
    sha256: await hashToken(token),
    vaults,
  }))
  return bearerAuth(createTokenAuthenticator({ tokens: await Promise.all(hashed) }))
}
