/** A ready test vault: a service, its HTTP handler, an item with two files, and tokens. */

import { createTokenAuthenticator, hashToken } from '../auth/tokens.js'
import { argumentError, kindOf, object, text } from '../base/argument.js'
import { type Closable, toClosable } from '../base/closable.js'
import { assertNames, optional } from '../base/options.js'
import { serviceOptions as serviceDefinition } from '../core/runtime/context.js'
import { handlerOptions } from '../http/create-http-handler.js'
import {
  bearerAuth,
  createHttpHandler,
  type HttpHandler,
  type HttpHandlerOptions,
} from '../http.js'
import {
  type Caller,
  createCaller,
  type FileDetails,
  type Item,
  type KnownCaller,
  type VaultService,
  type VaultServiceOptions,
  type VaultStore,
} from '../index.js'
import type { TestClock } from './deterministic.js'
import { type PlantedVault, parseSeed, plantSeed, type Seed, type SeedItem } from './seed.js'
import { createConnections, type ListeningVault } from './world/connections.js'
import { createFailingHandler, type RequestFault } from './world/request-faults.js'
import { type CrashPoint, createWorld, type VaultSnapshot, type World } from './world/world.js'

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

/** Options of `createTestVault`: those of `createVaultService`, and a seed. */
export interface TestVaultOptions<Given extends Seed | undefined = Seed | undefined>
  extends Omit<VaultServiceOptions, 'store' | 'now'> {
  /** The store of all vaults, items and files. Default: a memory store. */
  readonly store?: VaultStore | undefined
  /**
   * The clock: the result of `createTestClock`. It becomes the member `clock` of the vault. Default:
   * a clock that begins at 2026-01-01T00:00:00.000Z.
   */
  readonly now?: TestClock | undefined
  /**
   * The vaults, items and files to begin with, instead of those of {@link TestVault}: the content
   * of a seed file, with at least one vault.
   */
  readonly seed?: Given | undefined
}

/** Options of the handler of `createTestVault`: those of `createHttpHandler`. */
export interface TestHandlerOptions extends Omit<HttpHandlerOptions, 'authenticate'> {
  /** Returns the caller of a request. By default the handler accepts {@link TestTokens}. */
  readonly authenticate?: HttpHandlerOptions['authenticate'] | undefined
}

/**
 * A service with the vaults of a seed, and a handler for it. Its clock, ids and generated values are
 * the same in every run.
 *
 * `service`, `fetch` and all other members stay valid after `reset` and `crash`, and continue with
 * the new state. So does an app that uses them.
 */
export interface TestWorld extends Closable {
  readonly service: VaultService
  readonly handler: HttpHandler
  readonly store: VaultStore
  readonly clock: TestClock
  /** Can read and write every vault. Its id is `tester`. */
  readonly caller: KnownCaller
  readonly tokens: TestTokens
  /** The id of the test vault: the first one of the seed. */
  readonly vaultId: string
  /** The vaults and items of the seed, in its order, as they were when they had been created. */
  readonly vaults: readonly PlantedVault[]
  /**
   * Sends a request to the handler without a socket. Pass it to any client that takes a `fetch`.
   * The host of the URL is ignored, and a relative URL is allowed. Requests need a token, as over a
   * socket.
   */
  readonly fetch: typeof fetch
  /**
   * Serves the handler on a socket of 127.0.0.1, for clients that take only a URL.
   * @param port Default: a free port.
   * @throws Error if the port is in use.
   */
  listen(port?: number): Promise<ListeningVault>
  /**
   * Makes the next requests fail, in order, one for each fault, whether they use `fetch`, a socket
   * or `handler`. A fault is a response with status 429 or 503 and `Retry-After: 1`, a connection
   * that is cut without a response, or the usual response, delayed. A request that fails has no
   * effect. `reset` removes unused faults.
   * @throws TypeError if an argument is not a fault.
   */
  failNext(...faults: readonly RequestFault[]): void
  /**
   * Returns the item with this title, as it is stored now.
   * @param vaultName The name of its vault. By default all vaults are searched.
   * @throws Error if not exactly one item has the title.
   */
  findItem(title: string, vaultName?: string): Promise<Item>
  /**
   * Returns the state of the store, of the clock and of the randomness, for `reset`.
   * @throws Error if the vault has the option `store`.
   */
  snapshot(): Promise<VaultSnapshot>
  /**
   * Goes back to a snapshot of this vault or of a fork, by default to the seed. Calls in progress
   * fail with StorageUnavailableError (503) and change nothing. Listeners of `service.on` are kept,
   * faults of `failNext` are not.
   * @throws Error if the vault has the option `store`.
   * @throws TypeError if `snapshot` is anything but a snapshot.
   */
  reset(snapshot?: VaultSnapshot): Promise<void>
  /**
   * Simulates a kill and restart of the service on the same store, now or at a call to the store.
   * The store keeps what was written by then, such as a file without its item. Calls in progress
   * fail with StorageUnavailableError (503). Requests of `fetch` and of a socket fail with a
   * connection error. Listeners of `service.on` are removed. The clock continues.
   * @returns True if a call that `point.at` chose was reached. False if `point.during` settled
   * before that, or if you pass no point.
   * @throws TypeError if `point` is not a crash point, or the error that `point.at` threw.
   */
  crash(point?: CrashPoint): Promise<boolean>
  /**
   * Returns an independent copy with the same options, tokens, ids and state. It has its own clock,
   * which shows the same time, and no listeners.
   * @throws Error if the vault has the option `store`.
   */
  fork(): Promise<TestWorld>
  /**
   * Closes the servers of `listen` and then the service. A store that you passed is not closed, and
   * neither are forks.
   */
  close(): Promise<void>
}

/**
 * The test vault that you get without a seed: one vault, with one login that has a small and a
 * large file.
 */
export interface TestVault extends TestWorld {
  /**
   * The login `Example`, with a user name, a password, a concealed field `pin` in a section, two tags
   * and a URL. It has version 3, because two files were attached.
   */
  readonly item: Item
  /** 5 bytes: `hello`. */
  readonly smallFile: FileDetails
  /** 1,025 bytes, one more than `maxInlineFileSizeKb: 1` inlines. */
  readonly largeFile: FileDetails
  fork(): Promise<TestVault>
}

/**
 * Creates a test vault. A change that loses against a concurrent writer is retried without a delay.
 *
 * What the vault begins with is stored before your rules apply: `around`, `beforeCreateVault`,
 * `validateItem`, `limits` and `strict`. So no rule is called for it, and it need not obey them
 * until it changes. A seed with unknown attributes is always rejected.
 * @param options Options of `createVaultService`, and a seed. The default store is a memory store.
 * If you pass no `dialect`, `strict` is true by default.
 * @param httpOptions Options of `createHttpHandler`. The default authenticator accepts `tokens`.
 * @returns A {@link TestVault}, or a {@link TestWorld} if you pass a seed.
 * @throws TypeError if an option has the wrong type, or if the seed has no vault.
 * @throws InvalidInputError if the seed is invalid.
 * @example
 * ```ts
 * import { createTestVault } from 'cofferkit/testing'
 *
 * const vault = await createTestVault()
 * const { title } = await vault.service.getItem(vault.caller, {
 *   vaultId: vault.vaultId,
 *   itemId: vault.item.id,
 * })
 * await vault.reset() // the next test begins with the same ids and values
 * ```
 */
export async function createTestVault<Given extends Seed | undefined = undefined>(
  options: TestVaultOptions<Given> = {},
  httpOptions: TestHandlerOptions = {},
): Promise<Given extends undefined ? TestVault : TestWorld> {
  object()(options, 'options')
  const { kinds } = serviceDefinition
  const misplaced = Object.keys(options).find(
    (name) => Object.hasOwn(handlerOptions.kinds, name) && !Object.hasOwn(kinds, name),
  )
  if (misplaced !== undefined)
    throw new TypeError(`options.${misplaced} is unknown, did you mean httpOptions.${misplaced}?`)
  assertNames(options, { ...kinds, seed: anySeed })
  assertNames(httpOptions, handlerOptions.kinds, 'httpOptions')
  const { seed, ...serviceOptions } = options
  optional(testClock)(serviceOptions.now, 'options.now')
  const isPromise = (seed as unknown) instanceof Promise
  const hasVaults = seed === undefined || (!isPromise && parseSeed(seed).vaults.length > 0)
  if (!hasVaults) throw argumentError(seed, 'options.seed', 'a seed with at least one vault')
  const open = async (world: World, planted: readonly PlantedVault[], start?: VaultSnapshot) => {
    const parts = { world, planted, start, httpOptions }
    const base = await openWorld(parts, async (snapshot) => {
      const { now: _, ...copied } = serviceOptions
      const copy = createWorld(copied)
      await copy.reset(snapshot)
      return open(copy, planted, start)
    })
    return (seed === undefined ? withTestItem(base) : base) as TestVault
  }
  const world = createWorld(serviceOptions)
  const planted = await plantSeed(world.unruled, tester, seed ?? testSeed())
  const start = serviceOptions.store === undefined ? await world.snapshot() : undefined
  return open(world, planted, start)
}

const testClock = kindOf<TestClock>(
  'the result of createTestClock',
  (value) => typeof value === 'function' && 'advance' in value,
)

const anySeed = kindOf('a seed', (value) => Array.isArray(Object(value).vaults))

const tester = createCaller({ id: 'tester', vaults: '*' })

/** The seed of a {@link TestVault}. */
function testSeed(): Seed {
  const item: SeedItem = {
    category: 'LOGIN',
    title: 'Example',
    tags: ['work', 'mail'],
    urls: [{ href: 'https://example.com/login', label: 'website', primary: true }],
    sections: [{ id: 'more', label: 'More' }],
    fields: [
      { id: 'username', type: 'STRING', purpose: 'USERNAME', value: 'wendy' },
      { id: 'password', type: 'CONCEALED', purpose: 'PASSWORD', value: 'correct horse' },
      { id: 'pin', type: 'CONCEALED', label: 'PIN', value: '1234', section: { id: 'more' } },
    ],
    files: [
      { name: 'hello.txt', sectionId: 'more', content: 'hello' },
      { name: 'large.bin', sectionId: 'more', content: '\x07'.repeat(1025) },
    ],
  }
  return { vaults: [{ name: 'Test', items: [item] }] }
}

/** Adds the members of a {@link TestVault} to a world that was made from {@link testSeed}. */
function withTestItem(world: TestWorld): TestVault {
  const [item] = world.vaults[0]?.items ?? []
  const [smallFile, largeFile] = item?.files ?? []
  return Object.assign(world, { item, smallFile, largeFile }) as TestVault
}

interface WorldParts {
  readonly world: World
  readonly planted: readonly PlantedVault[]
  /** The state that `reset` goes back to by default. Undefined if the tester passed a store. */
  readonly start: VaultSnapshot | undefined
  readonly httpOptions: TestHandlerOptions
}

async function openWorld(
  { world, planted, start, httpOptions }: WorldParts,
  copyWorld: (snapshot: VaultSnapshot) => Promise<TestWorld>,
): Promise<TestWorld> {
  const { service, store, clock, snapshot } = world
  const vaultId = planted[0]?.vault.id ?? ''
  const tokens = {
    full: 'full-token',
    reader: 'reader-token',
    writer: 'writer-token',
    otherVault: 'other-vault-token',
  }
  const { handler, failNext, clear } = createFailingHandler(
    createHttpHandler(service, {
      ...httpOptions,
      authenticate: httpOptions.authenticate ?? (await createAuthenticate(tokens, vaultId)),
    }),
  )
  const { fetch, listen, cut, close } = createConnections(handler)
  return {
    ...{ service, handler, store, clock, caller: tester, tokens, vaultId, vaults: planted },
    ...{ fetch, listen, failNext, snapshot },
    findItem: (title, vaultName) => findItem(service, tester, title, vaultName),
    reset: async (target = start) => {
      clear()
      await world.reset(target === undefined ? await snapshot() : target)
    },
    crash: (point) => world.crash(point, cut),
    fork: async () => copyWorld(await snapshot()),
    ...toClosable(async () => {
      await close()
      await service.close()
    }),
  }
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

/**
 * Returns the only item with a title, in all vaults that the caller can read or in those with a
 * name.
 * @throws Error if no item or more than one has the title.
 * @throws TypeError if the title is not a string.
 */
async function findItem(
  service: VaultService,
  caller: Caller,
  title: string,
  vaultName?: string,
): Promise<Item> {
  text()(title, 'title')
  const vaults = await service.listVaults(caller)
  const found: { readonly vaultId: string; readonly itemId: string }[] = []
  for (const { id: vaultId, name } of vaults) {
    if (vaultName !== undefined && name !== vaultName) continue
    for (const item of await service.listItems(caller, { vaultId }))
      if (item.title === title) found.push({ vaultId, itemId: item.id })
  }
  const [ref] = found
  if (ref === undefined || found.length > 1) {
    const count = ref === undefined ? 'no item has' : `${found.length} items have`
    const place = vaultName === undefined ? 'in any vault' : 'in a vault with this name'
    throw new Error(`findItem: ${count} this title ${place}`)
  }
  return service.getItem(caller, ref)
}
