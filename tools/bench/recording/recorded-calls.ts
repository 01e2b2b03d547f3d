/** The records that a call writes to a stored activity log. */

import type { Caller, VaultService } from 'cofferkit'
import { countCalls } from '../growth/counted-store.js'
import { type Build, type LoadedBuild, loadBuild } from '../load-build.js'
import { content, draft, patch, vaultId } from '../sample.js'
import type { Table } from '../table.js'

const deletedCount = 100

/** A vault with an item, and credentials, whose calls are recorded. */
interface RecordedVault {
  readonly service: VaultService
  readonly caller: Caller
  readonly credentials: Credentials
  readonly itemId: string
  readonly fileId: string
}

type Credentials = ReturnType<ReturnType<CredentialsModule['createCredentials']>['of']>
type CredentialsModule = typeof import('cofferkit/credentials')

const calls: Readonly<Record<string, (vault: RecordedVault) => Promise<unknown>>> = {
  getItem: ({ service, caller, itemId }) => service.getItem(caller, { vaultId, itemId }),
  'getItem, refused': ({ service, itemId }) =>
    service.getItem({ id: 'other', can: () => false }, { vaultId, itemId }),
  listItems: ({ service, caller }) => service.listItems(caller, { vaultId }),
  createVault: ({ service, caller }) => service.createVault(caller, { name: 'Other' }),
  createItem: ({ service, caller }) => service.createItem(caller, { vaultId, item: draft(1) }),
  replaceItem: ({ service, caller, itemId }) =>
    service.replaceItem(caller, { vaultId, itemId, item: draft(2) }),
  patchItem: ({ service, caller, itemId }) =>
    service.patchItem(caller, { vaultId, itemId, patch: patch(3) }),
  'patchItem, another version': ({ service, caller, itemId }) =>
    service.patchItem(caller, { vaultId, itemId, patch: patch(4), ifVersion: 99 }),
  attachFile: ({ service, caller, itemId }) =>
    service.attachFile(caller, { vaultId, itemId, name: 'other.txt', content }),
  removeFile: ({ service, caller, itemId, fileId }) =>
    service.removeFile(caller, { vaultId, itemId, fileId }),
  deleteItem: ({ service, caller, itemId }) => service.deleteItem(caller, { vaultId, itemId }),
  'credentials.save': ({ credentials }) => credentials.save('stripe', { key: 'secret-1' }),
  'credentials.list': ({ credentials }) => credentials.list(),
  [`deleteVault of ${deletedCount} items`]: ({ service, caller }) =>
    service.deleteVault(caller, { vaultId }),
}

/** Counts the records of every build. */
export async function countRecords(builds: readonly Build[]): Promise<Table> {
  const rows = [['', ...builds.map(({ name }) => name)]]
  for (const [name, call] of Object.entries(calls)) {
    const counts: string[] = []
    for (const { url } of builds) counts.push(String(await countWrites(loadBuild(url), call)))
    rows.push([name, ...counts])
  }
  return { id: 'recorded-calls', title: 'Records that a call writes to the log', rows }
}

async function countWrites(
  build: LoadedBuild,
  call: (vault: RecordedVault) => Promise<unknown>,
): Promise<number> {
  const { createVaultService, createCaller } = await build.core()
  const { createStoredActivityLog } = await build.activity()
  const { createCredentials } = await build.credentials()
  const { store, writes } = countCalls((await build.memory()).createMemoryStore())
  const service = createVaultService({ store, activity: createStoredActivityLog(store) })
  const caller = createCaller('bench', '*')
  await service.createVault(caller, { vaultId, name: 'Bench' })
  const { id: itemId } = await service.createItem(caller, { vaultId, item: draft(0) })
  const { id: fileId } = await service.attachFile(caller, {
    ...{ vaultId, itemId, name: 'codes.txt', content },
  })
  for (let index = 1; index < deletedCount; index++)
    await service.createItem(caller, { vaultId, item: draft(index) })
  const kinds = { stripe: { fields: { key: { secret: true } }, origins: ['https://example.com'] } }
  const credentials = createCredentials(service, kinds).of(caller, vaultId)
  const before = writes.get('activity') ?? 0
  await call({ service, caller, credentials, itemId, fileId }).catch(() => {})
  return (writes.get('activity') ?? 0) - before
}
