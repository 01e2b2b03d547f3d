/**
 * Writers change items and files of a service, which keeps versions, while faults happen. Then
 * everything that was acknowledged must be there, once, complete, and with its versions.
 */

import { createCaller, createVaultService, type VaultService } from 'cofferkit'
import { chooseChange, makeChange } from '../crash/change-vault.js'
import { checkVault } from '../crash/check-vault.js'
import { collectVault, listFailures } from '../crash/crash-outcome.js'
import { addReport, createJournal, type Journal } from '../crash/journal.js'
import { type EtcdAddress, openEtcd } from '../support/etcd-engine.js'
import { createSeededRandom } from '../support/seeded-random.js'

/** The findings. */
export interface ServiceFindings {
  readonly acknowledged: number
  /** Unacknowledged changes that are present, and those that are absent. */
  readonly 'unknown: present': number
  readonly 'unknown: absent': number
  readonly lost: number
  readonly torn: number
  readonly duplicated: number
  /** Replaced versions that were compared. */
  readonly versions: number
  /** Blobs of interrupted uploads that `collectGarbage` has removed. */
  readonly collected: number
  /** One line for each kind of failure. */
  readonly failures: readonly string[]
}

const services = 2
const writersPerService = 4
const sharedItems = 4
const maxVersions = 5
const caller = createCaller({ id: 'checker', vaults: '*' })

/** Runs the writers for `durationMs`, inside of `runWithFaults`. */
export async function checkService(
  address: EtcdAddress,
  durationMs: number,
  runWithFaults: (work: () => Promise<void>) => Promise<void>,
): Promise<ServiceFindings> {
  const service = openService(address, 0)
  const { id: vaultId } = await service.createVault(caller, { name: 'Cluster' })
  const journal = createJournal()
  const shared: string[] = []
  for (let index = 0; index < sharedItems; index++)
    shared.push(await change(service, vaultId, journal, [], `start-${index}`, index))
  await runWithFaults(async () => {
    const end = Date.now() + durationMs
    const writers = Array.from({ length: services * writersPerService }, async (_, index) => {
      const own = openService(address, index)
      const items = [...shared]
      for (let count = 1; Date.now() < end; count++) {
        const token = `w${index}-${count}`
        const created = await change(own, vaultId, journal, items, token, index * 1e6 + count)
        if (created !== '' && items.length < 40) items.push(created)
      }
    })
    await Promise.all(writers)
  })
  return compare(openService(address, 1, 61), vaultId, journal)
}

/** Makes one random change. Resolves with the id of an item that was created, otherwise ''. */
async function change(
  service: VaultService,
  vaultId: string,
  journal: Journal,
  items: readonly string[],
  token: string,
  seed: number,
): Promise<string> {
  const intent = chooseChange(createSeededRandom(seed), token, items)
  addReport(journal, { about: intent })
  try {
    const { itemId, version } = await makeChange(service, vaultId, intent)
    addReport(journal, { done: token, itemId, version })
    return intent.kind === 'create' ? itemId : ''
  } catch {
    // Unacknowledged, for any reason: the change may be present or not.
    return ''
  }
}

function openService(address: EtcdAddress, first: number, aheadMinutes = 0): VaultService {
  return createVaultService({
    store: openEtcd(address, first),
    history: { maxVersions },
    limits: { tags: 1_000_000, files: 1_000_000, itemBytes: 1_500_000 },
    now: () => new Date(Date.now() + aheadMinutes * 60_000),
  })
}

async function compare(
  service: VaultService,
  vaultId: string,
  journal: Journal,
): Promise<ServiceFindings> {
  const found = await checkVault(service, vaultId, journal)
  const { compared, wrong } = await compareVersions(service, vaultId)
  // Last, because it writes a version of each item whose upload was interrupted.
  const { collected, orphans } = await collectTwice(service, vaultId)
  const acknowledged = journal.acknowledged.size
  const failures = listFailures({
    lost: [...found.lost],
    torn: [...found.torn, ...wrong],
    duplicated: [...found.duplicated],
    orphans,
  })
  return {
    acknowledged,
    'unknown: present': found.unacknowledged,
    'unknown: absent': journal.intents.size - acknowledged - found.unacknowledged,
    lost: found.lost.size,
    torn: found.torn.size + wrong.length,
    duplicated: found.duplicated.size,
    versions: compared,
    collected,
    failures,
  }
}

/** Collects garbage twice. The blobs that the second collection removes are orphans. */
async function collectTwice(
  service: VaultService,
  vaultId: string,
): Promise<{ readonly collected: number; readonly orphans: number }> {
  const { collected } = await collectVault(service, caller, vaultId)
  const again = await collectVault(service, caller, vaultId)
  return { collected, orphans: again.collected }
}

/** The last replaced versions of each item must exist, and each must be what it was. */
async function compareVersions(
  service: VaultService,
  vaultId: string,
): Promise<{ readonly compared: number; readonly wrong: readonly string[] }> {
  let compared = 0
  const wrong: string[] = []
  for (const { id: itemId, version } of await service.listItems(caller, { vaultId })) {
    const listed = (await service.listVersions(caller, { vaultId, itemId })).map(
      (stored) => stored.version,
    )
    const count = Math.min(maxVersions, version - 1)
    const expected = Array.from({ length: count }, (_, index) => version - 1 - index)
    if (expected.some((number) => !listed.includes(number))) wrong.push(`versions of ${itemId}`)
    for (const number of expected) {
      const ref = { vaultId, itemId, version: number }
      const stored = await service.getVersion(caller, ref).catch(() => undefined)
      const tags = stored?.tags.length ?? 0
      if (stored === undefined || stored.version !== number || number < 1 + tags)
        wrong.push(`version ${number} of ${itemId}`)
      compared++
    }
  }
  return { compared, wrong }
}
