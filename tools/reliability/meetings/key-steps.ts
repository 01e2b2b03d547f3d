/** The maintenance of keys as steps. */

import type { EncryptedStore } from 'cofferkit/encrypted'
import {
  isErased,
  toRingRecordKey,
  vaultRings,
} from '../../../src/storage/encrypted/keys/key-ring.js'
import type { Planner } from './core-steps.js'
import { BrokenPromise, erased, itemValue, nothing } from './model.js'
import type { Plan, World } from './world.js'

/** Every step by its name. */
export const keySteps = {
  rotateDataKeys: ({ world }) => maintain(world, (store) => store.rotateDataKeys()),
  rewrapKeys: ({ world }) => maintain(world, (store) => store.rewrapKeys()),
  forgetKeys: ({ world }) => maintain(world, (store) => store.forgetKeys()),

  reencrypt({ world }) {
    // A damaged record is reported as an error, after all others.
    const { model } = world
    const values = model.places('item ').flatMap((place) => [...model.possible(place)])
    const plan = maintain(world, (store) => store.reencrypt())
    return plan && { ...plan, isUncertain: values.some(itemValue.isDamaged) }
  },

  eraseKeys({ world, vaultId }) {
    const { model, disk } = world
    const place = `vault ${vaultId}`
    const plan = maintain(world, (store) =>
      store.eraseKeys({ scopes: [vaultId], backupsKeepThem: true }),
    )
    if (plan === undefined || !world.createdVaultIds.has(vaultId)) return undefined
    const wasErased = [...model.possible(place)].every((value) => value === erased)
    const isQuiet = !model.isBusy(place) && !model.isBusy(`item ${vaultId}/`)
    const can = (value: string): boolean => value === nothing || value === erased
    return {
      ...plan,
      effects: new Map([[place, { can, to: () => erased }]]),
      refusals: RangeError,
      async done(count) {
        if (wasErased && count !== 0)
          throw new BrokenPromise('P2', `the keys of ${vaultId} existed after they were erased`)
        // A vault that never held anything has no keys, and can be created again.
        if (count === 0 && !(await hasErasedRing(world, vaultId))) model.set(place, nothing)
        if (!isQuiet) return
        const blobs = (await disk.blobsOf(vaultId)).filter((id) => !world.lostBlobs.has(id))
        const left = [...(await disk.recordsOf(vaultId)), ...blobs]
        if (left.length > 0)
          throw new BrokenPromise('P2', `${left.join(', ')} is left of a vault that was erased`)
      },
    }
  },
} satisfies Readonly<Record<string, Planner>>

/** Returns true if the keys of the vault were erased, also by a call whose end is unknown. */
async function hasErasedRing({ setup, disk, rings }: World, vaultId: string): Promise<boolean> {
  const records = setup.keyRings === 'elsewhere' ? rings : disk.store.records
  const ring = await records.get(toRingRecordKey(vaultId, vaultRings))
  return ring !== undefined && isErased(ring, vaultRings)
}

function maintain(
  { setup }: World,
  call: (store: EncryptedStore) => Promise<unknown>,
): Plan | undefined {
  if (setup.keyRings === undefined) return undefined
  return {
    effects: new Map(),
    isRecorded: false,
    call: async ({ encrypted }) => encrypted && call(encrypted),
  }
}
