/** A process of the check `copy`: creates, changes and deletes items and files until it is stopped. */

import { createCaller, createVaultService, isVaultError } from 'cofferkit'
import { createStoredActivityLog } from 'cofferkit/activity'
import { createSeededRandom } from '../support/seeded-random.js'
import { findEngine } from '../support/stores.js'
import { handleRequests } from '../support/worker-process.js'

/** Request to write to some vaults for a time, or to fill them with items. */
export interface WriteRequest {
  readonly engine: string
  readonly address: string
  readonly vaultIds: readonly string[]
  readonly seed: number
  /** The number of items to create; undefined to change items until the request `stop`. */
  readonly items?: number
  /** Milliseconds for which items are changed. */
  readonly ms?: number
}

/** The changes that were acknowledged. */
export interface WriteReport {
  readonly changes: number
}

const caller = createCaller({ id: 'writer', vaults: '*' })

handleRequests<WriteRequest, WriteReport>(async (request) => {
  const connection = await findEngine(request.engine).connect(request.address)
  const { store } = connection
  const service = createVaultService({
    store,
    history: { maxVersions: 5 },
    activity: createStoredActivityLog(store),
  })
  const random = createSeededRandom(request.seed)
  const end = performance.now() + (request.ms ?? 0)
  let changes = 0
  const attach = async (vaultId: string, itemId: string): Promise<void> => {
    const content = new Uint8Array(random.percent(3) ? 700_000 : 2_000).fill(random.below(256))
    await service.attachFile(caller, { vaultId, itemId, name: 'a', content })
  }
  const change = async (vaultId: string, itemId: string): Promise<void> => {
    const patch = [{ op: 'replace', path: '/title', value: `Title ${changes}` }] as const
    await service.patchItem(caller, { vaultId, itemId, patch })
  }
  const create = async (vaultId: string): Promise<string> => {
    const field = { id: 'password', type: 'CONCEALED', value: `secret ${changes}` } as const
    const item = { category: 'LOGIN', title: `Item ${changes}`, fields: [field] } as const
    return (await service.createItem(caller, { vaultId, item })).id
  }
  const createAll = async (count: number): Promise<void> => {
    for (let created = 0; created < count; created++) {
      const vaultId = random.pick(request.vaultIds)
      const itemId = await create(vaultId)
      for (let version = 1; version <= created % 4; version++) await change(vaultId, itemId)
      if (created % 5 === 0) await attach(vaultId, itemId)
      changes++
    }
  }
  const changeAny = async (): Promise<void> => {
    const vaultId = random.pick(request.vaultIds)
    const after = `${random.pick([...'0189'])}${random.pick([...'abcdefghij0123456789'])}`
    const page = { vaultId, limit: 1, after: after.padEnd(26, 'z') }
    const [item] = await service.listItems(caller, page)
    const step = random.below(100)
    if (item === undefined || step < 20) await create(vaultId)
    else if (step < 60) await change(vaultId, item.id)
    else if (step < 80) await attach(vaultId, item.id)
    else if (step < 90) {
      const [file] = await service.listFiles(caller, { vaultId, itemId: item.id })
      const ref = { vaultId, itemId: item.id }
      if (file) await service.removeFile(caller, { ...ref, fileId: file.id })
    } else await service.deleteItem(caller, { vaultId, itemId: item.id })
    changes++
  }
  try {
    if (request.items !== undefined) {
      // Eight at a time, so that commits are shared.
      const share = Math.ceil(request.items / 8)
      await Promise.all(Array.from({ length: 8 }, () => createAll(share)))
    } else
      while (performance.now() < end)
        await changeAny().catch((error) => {
          if (!isVaultError(error) || error.status >= 500) throw error
        })
    return { changes }
  } finally {
    await connection.close()
  }
})
