/**
 * Shows what a tenant gets who brings a KEK. Processes read the records of several tenants while one
 * of them revokes its KEK: no read that begins more than `maxKeyAgeMs` later succeeds, and no read
 * of another tenant fails. An outage of the key service of an eighth of that age is not seen. After
 * the keys of a tenant were erased and a backup of the data restored, no record of it opens, in
 * processes that had the key and in new ones. Key rings are moved to a store of their own by
 * processes that are killed before and after each write. Broken variants must be caught.
 *
 * `npm run prove -- tenant-keys [--short] [--processes 3] [--records 200] [--kills 24]`
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { RecordKey, RecordStore, StoredRecord, VaultStore } from 'cofferkit'
import { createEncryptedStore, type EncryptedStore } from 'cofferkit/encrypted'
import { openSqliteStore } from 'cofferkit/sqlite'
import { print, printTable } from './support/table.js'
import { startWorker, type WorkerProcess } from './support/worker-process.js'
import { createKmsProvider, type KmsServer, startKms } from './tenant-keys/kms.js'
import type { TenantRead, TenantRequest, TenantStores } from './tenant-keys/tenant-process.js'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    processes: { type: 'string', default: '3' },
    records: { type: 'string' },
    kills: { type: 'string' },
  },
})
const processes = values.short ? 2 : Number(values.processes)
const records = Number(values.records ?? (values.short ? 20 : 200))
const kills = Number(values.kills ?? (values.short ? 3 : 24))
const maxKeyAgeMs = values.short ? 2_000 : 10_000

const [acme = '', globex = '', initech = ''] = ['acme', 'globex', 'initech'].map((name) =>
  name.padEnd(26, '0'),
)
const vaultIds = [acme, globex, initech]
const failures: string[] = []

type Child = WorkerProcess<TenantRequest, readonly TenantRead[]>
const startProcess = (): Child =>
  startWorker(new URL('./tenant-keys/tenant-process.ts', import.meta.url))

/** The stores of a check, which contain records of every tenant. */
interface World {
  readonly kms: KmsServer
  readonly stores: TenantStores
  readonly inner: VaultStore
  /** Undefined if the key rings are stored with the data. */
  readonly rings: RecordStore | undefined
  readonly store: EncryptedStore
}

async function withWorld<Result>(
  hasRingStore: boolean,
  work: (world: World) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'cofferkit-tenants-'))
  const kms = await startKms()
  const path = join(folder, 'data.db')
  const ringPath = hasRingStore ? join(folder, 'rings.db') : undefined
  const inner = await openSqliteStore(path)
  const ringStore = ringPath === undefined ? undefined : await openSqliteStore(ringPath)
  const rings = ringStore?.records
  const store = openStore({ kms, inner, rings })
  try {
    for (const vaultId of vaultIds) {
      for (let id = 0; id < records; id++) await putRecord(store, vaultId, id)
      await store.rotateDataKeys({ scopes: [vaultId] })
      await store.reencrypt({ scopes: [vaultId] })
    }
    const stores = { path, ringPath, kmsUrl: kms.url, maxKeyAgeMs }
    return await work({ kms, stores, inner, rings, store })
  } finally {
    await inner.close()
    await ringStore?.close()
    kms.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function openStore({ kms, inner, rings }: Pick<World, 'kms' | 'inner' | 'rings'>): EncryptedStore {
  const keys = createKmsProvider(kms.url)
  return createEncryptedStore(inner, { keys, ...(rings && { keyRings: rings }) })
}

function putRecord(store: EncryptedStore, vaultId: string, id: number): Promise<boolean> {
  const key = { collection: `items/${vaultId}`, id: String(id) }
  return store.records.put(key, { body: new TextEncoder().encode(`{"n":${id}}`) }, 0)
}

type Row = Record<string, string | number>
type RevokeVariant = 'real' | 'no age' | 'does not ask ahead'
type EraseVariant = 'real' | 'key rings with the data' | 'ring is deleted'
type MoveVariant = 'real' | 'plain copy'

/** Revokes a KEK, after an outage, while every process reads. */
function revoke(variant: RevokeVariant, children: readonly Child[]): Promise<Row> {
  return withWorld(true, async ({ kms, stores }) => {
    const request: TenantStores = {
      ...stores,
      ...(variant !== 'real' && { maxKeyAgeMs: undefined }),
      ...(variant === 'does not ask ahead' && { forgetEveryMs: maxKeyAgeMs / 20 }),
    }
    const readAll = async (forMs: number): Promise<TenantRead[]> => {
      const call = { ...request, task: 'read', forMs, vaultIds, records } as const
      return (await Promise.all(children.map((child) => child.request(call)))).flat()
    }
    await readAll(100)
    const reading = readAll(maxKeyAgeMs * 3)
    await pause(maxKeyAgeMs * 0.6)
    kms.isDown = true
    // Long enough for the broken variant to ask for a key, however busy the machine is.
    await pause(maxKeyAgeMs / (variant === 'does not ask ahead' ? 2 : 8))
    kms.isDown = false
    await pause(maxKeyAgeMs / 4)
    const revokedAt = Date.now()
    kms.denied.add(`kek-${acme}`)
    const reads = await reading
    const ofAcme = reads.filter(({ vaultId }) => vaultId === acme)
    const refusals = ofAcme.filter(({ at, isOpen }) => !isOpen && at >= revokedAt)
    const tooLate = ofAcme.filter(({ at, isOpen }) => isOpen && at > revokedAt + maxKeyAgeMs)
    const failed = reads.filter(
      ({ vaultId, at, isOpen }) => !isOpen && (vaultId !== acme || at < revokedAt),
    )
    const isGood = tooLate.length + failed.length === 0 && refusals.length > 0
    judge(`revoked, ${variant}`, variant === 'real', isGood)
    const firstMs = Math.min(...refusals.map(({ at }) => at - revokedAt))
    return {
      revoked: variant,
      reads: reads.length,
      'first refusal after s': refusals.length === 0 ? 'never' : (firstMs / 1000).toFixed(1),
      [`opened after ${maxKeyAgeMs / 1000} s`]: tooLate.length,
      'failed otherwise': failed.length,
    }
  })
}

/** Erases the keys of a tenant, and restores the backup of the data from before. */
function erase(variant: EraseVariant, child: Child): Promise<Row> {
  const hasRingStore = variant !== 'key rings with the data'
  return withWorld(hasRingStore, async ({ kms, stores, inner, rings, store }) => {
    const openAll = async (ids: readonly string[], opener: Child): Promise<number> => {
      const call = { ...stores, task: 'open all', vaultIds: ids, records } as const
      return (await opener.request(call)).filter(({ isOpen }) => isOpen).length
    }
    await openAll(vaultIds, child)
    const backup = await backUp(inner.records, `items/${acme}`, 'keys')
    for (let id = 0; id < records; id++)
      await store.records.delete({ collection: `items/${acme}`, id: String(id) }, 1)
    if (variant === 'ring is deleted') {
      const ring = { collection: 'keys', id: acme }
      await rings?.delete(ring, (await rings.get(ring))?.version ?? 0)
    } else {
      const body = Buffer.from(JSON.stringify({ id: acme, deleted: true }))
      await store.records.put({ collection: 'vaults', id: acme }, { body }, 0)
      await store.eraseKeys({ scopes: [acme], backupsKeepThem: !hasRingStore })
    }
    await restore(inner.records, backup)
    // By then, a process that had the key has read the ring again.
    await pause(maxKeyAgeMs)
    const hadKey = await openAll([acme], child)
    const fresh = startProcess()
    const isNew = await openAll([acme], fresh)
    const others = await openAll([globex, initech], fresh)
    await fresh.end()
    const isUsable = await putRecord(openStore({ kms, inner, rings }), acme, records).then(
      () => true,
      () => false,
    )
    const isGood = hadKey + isNew === 0 && others === 2 * records && !isUsable
    judge(`erased, ${variant}`, variant === 'real', isGood)
    return {
      erased: variant,
      'records restored': records,
      'opened with the key of before': hadKey,
      'opened by a new process': isNew,
      'of other tenants': others,
      'id can be used again': isUsable ? 'yes' : 'no',
    }
  })
}

type Backup = readonly (RecordKey & StoredRecord)[]

async function backUp(inner: RecordStore, ...collections: readonly string[]): Promise<Backup> {
  const lists = collections.map(async (collection) =>
    (await inner.list(collection, { limit: 10_000 })).map((record) => ({ ...record, collection })),
  )
  return (await Promise.all(lists)).flat()
}

/** Stores every record again as it was, at its version. */
async function restore(inner: RecordStore, backup: Backup): Promise<void> {
  for (const { collection, id, body, version } of backup) {
    const key = { collection, id }
    await inner.delete(key, (await inner.get(key))?.version ?? 0)
    for (let expected = 0; expected < version; expected++) await inner.put(key, { body }, expected)
  }
}

/**
 * Moves the key rings to a store of their own in a process that is killed, then in this one, and
 * starts over.
 */
function move(variant: MoveVariant): Promise<Row> {
  return withWorld(false, async ({ kms, stores, inner }) => {
    const ringPath = `${stores.path}.rings`
    const ringStore = await openSqliteStore(ringPath)
    const rings = ringStore.records
    const backup = await backUp(inner.records, 'keys')
    const found = { kills: 0, 'none moved': 0, 'some moved': 0, 'all moved': 0, unreadable: 0 }
    for (let run = 0; run < (variant === 'real' ? kills : 1); run++) {
      await restore(inner.records, backup)
      for (const { id, version } of await backUp(rings, 'keys'))
        await rings.delete({ collection: 'keys', id }, version)
      if (variant === 'real') {
        const child = startProcess()
        const request = { ...stores, ringPath, vaultIds: [], records }
        // A ring is moved by two writes, each of which has two sides.
        const killAt = (values.short ? 5 * run + 1 : run) % (4 * vaultIds.length)
        await child.request({ ...request, task: 'move', killAt }).catch(() => {})
        await child.end()
        found.kills++
        const left = (await backUp(inner.records, 'keys')).length
        if (left === vaultIds.length) found['none moved']++
        else found[left === 0 ? 'all moved' : 'some moved']++
        await openStore({ kms, inner, rings }).moveKeyRings()
      } else
        for (const { collection, id, body, version } of backup) {
          await rings.put({ collection, id }, { body }, 0)
          await inner.records.delete({ collection, id }, version)
        }
      const store = openStore({ kms, inner, rings })
      for (const vaultId of vaultIds)
        for (let id = 0; id < records; id++)
          await store.records.get({ collection: `items/${vaultId}`, id: String(id) }).catch(() => {
            found.unreadable++
          })
      const left = (await backUp(inner.records, 'keys')).length
      const isGood = found.unreadable + left === 0
      if (variant !== 'real' || !isGood) judge(`moved, ${variant}`, variant === 'real', isGood)
    }
    await ringStore.close()
    return { moved: variant, ...found }
  })
}

function judge(name: string, isReal: boolean, isGood: boolean): void {
  if (isGood === isReal) return
  failures.push(`${name}: ${isReal ? 'breaks its promise' : 'was not caught'}`)
}

/** The variants run at the same time, because they mostly wait. */
const children = Array.from({ length: processes + 2 }, startProcess)
const [first, second, third] = children
if (!first || !second || !third) throw new Error('there are too few processes')
try {
  printTable(
    await Promise.all([
      revoke('real', children.slice(2)),
      revoke('no age', [first]),
      revoke('does not ask ahead', [second]),
    ]),
  )
  print('')
  printTable(
    await Promise.all([
      erase('real', first),
      erase('key rings with the data', second),
      erase('ring is deleted', third),
    ]),
  )
  print('')
  printTable(await Promise.all([move('real'), move('plain copy')]))
} finally {
  await Promise.all(children.map((child) => child.end()))
}
for (const failure of failures) print(failure)
if (failures.length > 0) process.exitCode = 1
