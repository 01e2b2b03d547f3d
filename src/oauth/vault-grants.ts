/** Grants in the items of a vault, as the source of a token keeper. */

import { anyFunction, like, readArgument } from '../base/argument.js'
import { deriveItemId } from '../base/derive-id.js'
import { type Caller, isCaller } from '../core/access/caller.js'
import { assertService, inProcess } from '../core/assert-service.js'
import type { GrantSteps } from '../core/connections/refresh-grant.js'
import type { MakeDraft } from '../core/connections/save-item.js'
import type { RunUse } from '../core/items/use-field.js'
import type { VaultService } from '../core/vault-service.js'
import { PreconditionFailedError } from '../errors.js'
import type { RecordedCredential } from '../schema/activity-entry.js'
import type { ItemRef } from '../schema/ids.js'
import type { Item } from '../schema/item.js'
import {
  checkGrantInput,
  type FoundGrantItem,
  type GrantName,
  parseGrantItem,
  type SaveGrantInput,
  toDraft,
  toPatch,
} from './grant-item.js'
import type { GrantRows, GrantSource } from './grant-source.js'
import { type GrantState, toGrant, toState } from './stored-grant.js'

/** Grants in the items of a vault. Callers use the tokens. */
export interface VaultGrants extends GrantSource<ItemRef, Caller | undefined, FoundGrantItem> {
  /**
   * Saves a grant under its name and account in an item of the vault. Saving again replaces the
   * tokens, and keeps the rest of the item.
   * @returns The ids of the item. They are the same for the same vault, name and account.
   * @throws InvalidInputError (400) if the name or the access token is not a non-empty string, or
   * the item is archived.
   * @throws TypeError if the grant is not an object or has an unknown member, and the errors of
   * `createItem` and `replaceItem`.
   */
  save(vaultId: string, grant: SaveGrantInput): Promise<ItemRef>
  /**
   * Returns all grants of a vault without their tokens, in ascending order of their items' ids. It
   * reads every item of the vault, so use it for a vault of one tenant. It is not recorded. The
   * caller of `vaultGrants` needs `read` for the operation `listGrants`. Archived grants are listed,
   * deleted ones are not. An unreadable item is left out and reported.
   * @throws NotFoundError (404) if the vault does not exist, ForbiddenError (403) or StorageError.
   */
  list(vaultId: string): Promise<readonly ListedGrant[]>
}

/** A grant in an item, without its tokens. */
export interface ListedGrant extends GrantName, GrantState {
  readonly ref: ItemRef
}

const anyItemRef = like<ItemRef>({ vaultId: '', itemId: '' })

/**
 * Returns the grants in the items of a vault, for `createTokenKeeper`. The activity log records
 * each use as `useField` of the caller passed to `accessToken`. It records each refresh as
 * `refreshGrant` and each save as `saveGrant`, both of this `caller`.
 * @param caller - The identity that reads and writes the items. It needs `read` for the operations
 * `loadGrant` and `listGrants`, and `read` and `write` for `saveGrant` and `refreshGrant`. It must
 * not expire, because a provider's tokens must be stored whenever they arrive.
 * @throws TypeError if `service` is not a service, or the caller is missing or has `expiresAt`.
 * @example
 * const grants = vaultGrants(service, createCaller({ id: 'token-keeper', vaults: '*' }))
 * const ref = await grants.save(vaultId, { name: 'mail', account: 'wendy', ...tokens })
 */
export function vaultGrants(service: VaultService, caller: Caller): VaultGrants {
  const executing = assertService(service, { caller })
  const { expiresAt } = readArgument(like<Caller>({ id: '', can: anyFunction }), { caller })
  if (expiresAt !== undefined)
    throw new TypeError('caller must not have expiresAt: it stores what a provider has issued')

  const load = (ref: ItemRef): Promise<Item> =>
    executing.execute('loadGrant', inProcess(caller, toIds(ref)))
  const read = async (ref: ItemRef): Promise<FoundGrantItem> => parseGrantItem(await load(ref))

  /** Runs `work` as a recorded refresh. All its changes have one entry. */
  async function refresh(
    ref: ItemRef,
    name: GrantName,
    work: (rows: GrantRows<ItemRef, FoundGrantItem>) => Promise<void>,
  ): Promise<void> {
    const input = { ...toIds(ref), refresh: (steps: GrantSteps) => work(toRows(steps)) }
    const request = { ...inProcess(caller, input), credential: toCredential(name) }
    await executing.execute('refreshGrant', request)
  }

  const rows: GrantRows<ItemRef, FoundGrantItem> = {
    read,
    async replace(ref, grant, version) {
      let isReplaced = false
      await refresh(ref, await read(ref), async (refreshed) => {
        isReplaced = await refreshed.replace(ref, grant, version)
      })
      return isReplaced
    },
  }

  return {
    key(ref) {
      if (isCaller(ref)) throw new TypeError('ref is a caller: write accessToken(ref, caller)')
      const { vaultId, itemId } = anyItemRef(ref, 'ref')
      return `${vaultId}/${itemId}`
    },

    ...rows,

    async aroundUse(ref, by, next) {
      const run: RunUse = (_, onRead) =>
        next({
          ...rows,
          async read(ref) {
            const item = await load(ref)
            await onRead(item)
            return parseGrantItem(item)
          },
        })
      const request = inProcess(by, { ...toIds(ref), run })
      await executing.execute('useField', { ...request, isOwn: true })
    },

    aroundRefresh: refresh,

    async save(vaultId, grant) {
      checkGrantInput(grant)
      const itemId = await deriveItemId('grant', vaultId, grant)
      const issued = toGrant(grant, service.now())
      const make: MakeDraft = (before) => toDraft(vaultId, grant, issued, before)
      const request = inProcess(caller, { vaultId, itemId, make })
      await executing.execute('saveGrant', { ...request, credential: toCredential(grant) })
      return { vaultId, itemId }
    },

    async list(vaultId) {
      const items = await executing.execute('listGrants', inProcess(caller, { vaultId }))
      return items.map((item) => {
        const { name, account, grant } = parseGrantItem(item)
        return { ref: { vaultId, itemId: item.id }, name, account, ...toState(grant) }
      })
    },
  }
}

/** Returns the rows of a grant whose refresh is recorded. */
function toRows(steps: GrantSteps): GrantRows<ItemRef, FoundGrantItem> {
  return {
    read: async () => parseGrantItem(await steps.load()),
    async replace(_ref, grant, version) {
      const item = await steps.load()
      if (item.version !== version) return false
      try {
        await steps.patch(item, toPatch(item, grant))
        return true
      } catch (error) {
        if (error instanceof PreconditionFailedError) return false
        throw error
      }
    },
  }
}

/** Returns the ids, without other members. */
function toIds({ vaultId, itemId }: ItemRef): ItemRef {
  return { vaultId, itemId }
}

/** Returns the name and the account of a grant. */
function toCredential({ name, account }: GrantName): RecordedCredential {
  return { name, ...(account !== undefined && { account }) }
}
