/** A provider, a vault, and keepers that share them as processes do. */

import {
  type Caller,
  createCaller,
  createVaultService,
  type ItemRef,
  type VaultService,
  type VaultServiceOptions,
  type VaultStore,
} from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import {
  createTokenKeeper,
  type FoundGrantItem,
  type TokenKeeper,
  type TokenKeeperOptions,
  type VaultGrants,
  vaultGrants,
} from 'cofferkit/oauth'
import { createProvider, type Provider } from '../../../tools/reliability/oauth/provider.js'

/** The lease of every keeper, in milliseconds. */
export const leaseMs = 1200

/** A provider, a vault, and a grant in it. */
export interface TokenWorld {
  readonly provider: Provider
  readonly store: VaultStore
  readonly service: VaultService
  readonly vaultId: string
  /** The item of a grant with an access token that has expired. */
  readonly ref: ItemRef
  readonly caller: Caller
  /** Creates the service of another process, whose clock can be ahead. */
  serviceOn(store: VaultStore, aheadMs?: number): VaultService
  /** Creates a keeper as another process would. */
  createKeeper(changes?: KeeperChanges): VaultKeeper
  /** Returns the values of the fields of the item by id. */
  readFields(): Promise<Readonly<Record<string, string>>>
}

/** A keeper of grants in items, and how they are saved and listed. */
export type VaultKeeper = TokenKeeper<ItemRef, Caller | undefined> &
  Pick<VaultGrants, 'save' | 'list'>

/** The options of a keeper of grants in items. */
type VaultKeeperOptions = TokenKeeperOptions<ItemRef, Caller | undefined, FoundGrantItem>

/** The differences of a keeper from the usual one. */
interface KeeperChanges extends Partial<VaultKeeperOptions> {
  readonly service?: VaultService
  /** The caller who reads and writes the items. */
  readonly caller?: Caller
  /** Its clock is this much ahead. */
  readonly aheadMs?: number
}

const caller = createCaller({ id: 'token-keeper', vaults: '*' })

/** Creates a world. Its clock runs with `performance.now()`. */
export async function createTokenWorld(
  options: Partial<VaultServiceOptions> & { readonly expiresInSeconds?: number } = {},
): Promise<TokenWorld> {
  const { expiresInSeconds = 60, ...serviceOptions } = options
  const provider = createProvider({ expiresInSeconds, acceptedMs: 3_600_000 })
  const store = serviceOptions.store ?? createMemoryStore()
  const start = Date.parse('2026-01-01T12:00:00Z')
  const serviceOn = (on: VaultStore, aheadMs = 0): VaultService =>
    createVaultService({
      now: () => new Date(start + performance.now() + aheadMs),
      ...serviceOptions,
      store: on,
    })
  const service = serviceOn(store)
  const createKeeper = ({ service: own, aheadMs, caller: by, ...changes }: KeeperChanges = {}) => {
    const service = own ?? serviceOn(store, aheadMs)
    const grants = vaultGrants(service, by ?? caller)
    const keeper = createTokenKeeper({
      grants,
      leases: store.records,
      refresh: async (refreshToken) => provider.refresh(refreshToken),
      leaseMs,
      now: service.now,
      ...changes,
    })
    return { ...keeper, save: grants.save, list: grants.list }
  }
  const { id: vaultId } = await service.createVault(caller, { name: 'Grants' })
  const tokens = { ...provider.connect(), expiresInSeconds: 0 }
  const ref = await createKeeper().save(vaultId, { name: 'mail', account: 'wendy', ...tokens })
  return {
    provider,
    store,
    service,
    vaultId,
    ref,
    caller,
    serviceOn,
    createKeeper,
    async readFields() {
      const { fields } = await service.getItem(caller, ref)
      return Object.fromEntries(fields.map(({ id, value = '' }) => [id, value]))
    },
  }
}
