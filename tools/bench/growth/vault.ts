/** Vaults with many items, for measuring how the cost of an operation grows. */

import type { Caller, VaultService, VaultStore } from 'cofferkit'
import type { ReferenceResolver } from 'cofferkit/references'
import type { LoadedBuild } from '../load-build.js'
import { draft, vaultId } from '../sample.js'

/** A vault in a database, filled with `size` items. */
export interface FilledVault {
  readonly size: number
  readonly service: VaultService
  readonly caller: Caller
  readonly references: ReferenceResolver
}

/** A record from which the others are made: `mark` and `itemId` are replaced by the item's own. */
export interface Template {
  readonly collection: string
  readonly itemId: string
  readonly mark: string
  readonly indexKey: string
  readonly text: string
}

/** A store, and the way in which it is filled fast. */
export interface FillableStore {
  readonly store: VaultStore
  fill(template: Template, size: number): Promise<void>
}

/** The id of the item with this number: 26 digits. */
export const itemIdOf = (index: number): string => String(index).padStart(26, '0')

/** The mark of the item with this number: 6 digits, as in `draft`. */
export const markOf = (index: number): string => String(index).padStart(6, '0')

/** Creates a vault by the service, and fills it with copies of an item of the service. */
export async function fillVault(
  build: LoadedBuild,
  { store, fill }: FillableStore,
  size: number,
): Promise<FilledVault> {
  const { createVaultService, createCaller } = await build.core()
  const service = createVaultService({ store })
  const caller = createCaller({ id: 'bench', vaults: '*' })
  await service.createVault(caller, { vaultId, name: 'Bench' })
  await fill(await createTemplate(build, store, caller), size)
  const { createReferenceResolver } = await build.references()
  return { size, service, caller, references: createReferenceResolver(service, caller) }
}

/** Creates an item whose record is not written. */
async function createTemplate(
  build: LoadedBuild,
  store: VaultStore,
  caller: Caller,
): Promise<Template> {
  const written: Template[] = []
  const put: VaultStore['records']['put'] = async (key, { body, indexKey = '' }) => {
    const text = new TextDecoder().decode(body)
    written.push({ collection: key.collection, itemId: key.id, mark: markOf(0), indexKey, text })
    return true
  }
  const { createVaultService } = await build.core()
  const service = createVaultService({ store: { ...store, records: { ...store.records, put } } })
  await service.createItem(caller, { vaultId, item: draft(0) })
  const [template] = written
  if (template === undefined) throw new Error('no record was written')
  return template
}
