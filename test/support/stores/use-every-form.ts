/** Makes a service write everything that it can store, and names the forms of what was stored. */

import { vi } from 'vitest'
import { createStoredActivityLog } from '../../../src/activity.js'
import { beginCopy, endCopy } from '../../../src/command/copy/copy-store.js'
import { createCredentials } from '../../../src/credentials.js'
import {
  type Caller,
  createCaller,
  createVaultService,
  type RecordStore,
  type VaultStore,
} from '../../../src/index.js'
import { createTokenKeeper, vaultGrants } from '../../../src/oauth.js'
import { createSealer } from '../../../src/seal.js'
import { utf8 } from '../bytes.js'
import { createKeys } from './encrypted-stores.js'
import { anyClient, createJoinableStore } from './joinable-store.js'

/** Ids that callers choose. */
export const chosenIds = { vaultId: 'chosen'.padEnd(26, 'v'), itemId: 'chosen'.padEnd(26, 'i') }

const hourMs = 3_600_000

/**
 * Uses every feature that leaves something of its own in the store: each collection, each member and
 * each state. Needs `vi.useFakeTimers({ toFake: ['performance'] })`.
 * @param rings Where a sealer keeps its key rings.
 */
export async function useEveryForm(store: VaultStore, rings: RecordStore): Promise<void> {
  await beginCopy({ to: store })
  await endCopy({ to: store })
  const sealer = createSealer(rings, { keys: createKeys() })
  await sealer.box('tenant-1')
  await sealer.close()
  let time = Date.UTC(2026, 0, 1)
  let isBlobLost = false
  const failing: VaultStore = {
    records: createJoinableStore(store).records,
    blobs: {
      ...store.blobs,
      write: (...call) =>
        isBlobLost
          ? Promise.reject(new Error('the connection was lost'))
          : store.blobs.write(...call),
    },
  }
  const service = createVaultService({
    store: failing,
    now: () => new Date(time),
    history: { maxVersions: 2 },
    activity: createStoredActivityLog(failing),
  })
  const client = { requestId: 'call-1', userAgent: 'job', requestIp: '192.0.2.1' }
  const caller: Caller = {
    ...createCaller({ id: 'wendy', vaults: '*' }),
    tokenId: 'token-1',
    client,
  }

  // A vault whose id is used a second time, and that keeps its description.
  const { vaultId, itemId } = chosenIds
  for (const description of ['first', 'second']) {
    await service.createVault(caller, { vaultId, name: 'Team', description })
    if (description === 'first') await service.deleteVault(caller, { vaultId })
  }
  const item = {
    category: 'LOGIN',
    title: 'Mail',
    favorite: true,
    tags: ['work'],
    urls: [{ href: 'https://example.com', label: 'website', primary: true }],
    sections: [{ id: 'more', label: 'More' }],
    fields: [
      { id: 'password', type: 'CONCEALED', label: 'password', purpose: 'PASSWORD', generate: true },
      { id: 'pin', type: 'CONCEALED', label: 'PIN', value: '1234', section: { id: 'more' } },
    ],
  } as const
  const ref = { vaultId, itemId }
  for (const use of ['first', 'second']) {
    await service.createItem(caller, { ...ref, item })
    if (use === 'first') await service.deleteItem(caller, ref)
  }
  const { id: fileId } = await service.attachFile(caller, {
    ...{ ...ref, name: 'a.pem', content: utf8('pem'), sectionId: 'more' },
  })
  await service.readFileContent(caller, { ...ref, fileId })
  const use = { origin: 'https://example.com', method: 'GET', place: 'header:authorization' }
  await service.useField(caller, { ...ref, field: 'pin', use })
  const transaction = service.inTransaction(anyClient)
  const bank = { ...item, title: 'Bank' }
  const other = await transaction.createItem(caller, { vaultId, item: bank })
  for (const state of ['ARCHIVED', 'ACTIVE', 'DELETED'] as const)
    await service.setItemState(caller, { vaultId, itemId: other.id, state })

  // An upload that fails, and its garbage.
  isBlobLost = true
  const lost = { ...ref, name: 'b.pem', content: utf8('pem') }
  await service.attachFile(caller, lost).catch(() => {})
  isBlobLost = false
  time += 2 * hourMs
  await service.collectGarbage(caller, { vaultId })

  let isAccepted = true
  const credentials = createCredentials(service, {
    stripe: { fields: { key: {} }, verify: async () => isAccepted },
  }).of(caller, vaultId)
  const account = { account: 'eu' }
  await credentials.save('stripe', { key: 'sk_1' }, account)
  await credentials.save('stripe', { key: 'sk_2' })
  await credentials.remove('stripe')
  await service.collectGarbage(caller, { vaultId })
  isAccepted = false
  await credentials.verify('stripe', account)
  await service.checkHealth()
  await useLeases()
  await rejectStrangers()

  /** Refreshes a grant: answered, unanswered, and answered after that. */
  async function useLeases(): Promise<void> {
    let isDown = false
    const grants = vaultGrants(service, caller)
    const keeper = createTokenKeeper({
      ...{ grants, leases: store.records },
      async refresh() {
        if (isDown) throw new Error('the provider is out of reach')
        return { accessToken: 'new', refreshToken: 'r', expiresInSeconds: 0 }
      },
    })
    const grant = { name: 'mail', account: 'eu', accessToken: 'old', refreshToken: 'r' }
    const granted = await grants.save(vaultId, { ...grant, expiresInSeconds: 0 })
    for (const isOutage of [false, true, false]) {
      isDown = isOutage
      await keeper.accessToken(granted, caller).catch(() => {})
    }
    await keeper.close()
  }

  /** More calls of unknown callers than an activity log records in a minute. */
  async function rejectStrangers(): Promise<void> {
    const reject = () => service.getVault(undefined, { vaultId }).catch(() => {})
    for (let call = 0; call < 61; call++) await reject()
    vi.advanceTimersByTime(60_000)
    await reject()
  }
}

/** Returns a collection with `{vaultId}` in place of an id. */
export function kindOf(collection: string): string {
  return collection.replace(/\/[\da-z]{26}$/, '/{vaultId}')
}

/**
 * Returns the paths of all members of a stored body, each line of which is JSON: `line 2:
 * fields[].section.id`. The members of `blobs` are ids of files.
 */
export function memberPathsOf(body: Uint8Array): readonly string[] {
  return new TextDecoder()
    .decode(body)
    .split('\n')
    .flatMap((line, index) => pathsIn(JSON.parse(line)).map((path) => `line ${index + 1}: ${path}`))
}

function pathsIn(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((element) => pathsIn(element, `${path}[]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const own = path === 'blobs' ? 'blobs.{fileId}' : `${path}${path && '.'}${name}`
    return [own, ...pathsIn(member, own)]
  })
}
