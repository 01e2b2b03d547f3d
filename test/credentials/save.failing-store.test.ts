import { createCaller, createVaultService, type VaultStore } from 'cofferkit'
import { createCredentials, type VaultCredentials } from 'cofferkit/credentials'
import { createMemoryStore } from 'cofferkit/memory'
import { createFaultyStore } from 'cofferkit/testing'
import { describe, expect, it } from 'vitest'

const caller = createCaller({ id: 'wendy', vaults: '*' })
const vaultId = 'v'.repeat(26)
const old = { key: 'old', team: 'Old' }
const saved = { key: 'new', team: 'New' }

const open = (store: VaultStore, history: number) =>
  createVaultService({ store, history: { maxVersions: history } })

const bind = (service: ReturnType<typeof open>): VaultCredentials =>
  createCredentials(service, {
    stripe: { fields: { key: {}, team: { secret: false } }, verify: async () => true },
  }).of(caller, vaultId)

/** What was stored before the process that saves. */
const starts = {
  nothing: async () => {},
  'a credential': async (service) => {
    await bind(service).save('stripe', old)
  },
  'a credential that is marked as deleted': async (service) => {
    await bind(service).save('stripe', old)
    const [item] = await service.listItems(caller, { vaultId })
    await service.setItemState(caller, { vaultId, itemId: String(item?.id), state: 'DELETED' })
  },
  'a deleted credential': async (service) => {
    await bind(service).save('stripe', old)
    await bind(service).remove('stripe')
  },
} satisfies Record<string, (service: ReturnType<typeof open>) => Promise<void>>

/**
 * Saves in a process that dies at a call to the store, before or after the call has been made.
 * Returns the store and whether the call was reached.
 */
async function crash(start: keyof typeof starts, index: number, isMade: boolean, history: number) {
  const store = createMemoryStore()
  await open(store, history).createVault(caller, { vaultId, name: 'Acme' })
  await starts[start](open(store, history))
  const dying = createFaultyStore(store, (call) => {
    if (call.index < index) return undefined
    return call.index === index && isMade ? 'fail-after' : 'fail-before'
  })
  const isDead = await bind(open(dying, history))
    .save('stripe', saved)
    .then(
      () => false,
      () => true,
    )
  return { service: open(store, history), isDead }
}

/** Returns the values of the credential; undefined if it does not exist. */
async function readValues(own: VaultCredentials): Promise<object | undefined> {
  try {
    const [key, team] = [await own.reveal('stripe', 'key'), await own.reveal('stripe', 'team')]
    return { key, team }
  } catch {
    return undefined
  }
}

describe('save', () => {
  it.each(Object.keys(starts).flatMap((start) => [0, 2].map((history) => [start, history])))(
    'leaves the old or the new credential over %s when the process dies, with %i versions kept',
    async (start, history) => {
      const isOld = start === 'a credential'
      const calls: number[] = []
      for (const isMade of [false, true]) {
        for (let index = 0; ; index++) {
          const made = await crash(start as keyof typeof starts, index, isMade, Number(history))
          if (!made.isDead) {
            calls.push(index)
            break
          }
          const own = bind(made.service)
          const before = await readValues(own)
          if (before === undefined) expect(isOld).toBe(false)
          else expect([saved, ...(isOld ? [old] : [])]).toContainEqual(before)
          expect(await own.save('stripe', saved)).toMatchObject({ status: 'ok' })
          expect(await readValues(own)).toEqual(saved)
          expect(await made.service.listItems(caller, { vaultId })).toHaveLength(1)
        }
      }
      expect(Math.min(...calls)).toBeGreaterThan(2)
    },
  )
})
