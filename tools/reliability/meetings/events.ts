/** Events: everything that happens to a world besides the steps of its processes. */

import { createCaller } from 'cofferkit'
import { BrokenPromise, itemValue, nothing } from './model.js'
import { startPlainService } from './process.js'
import type { World } from './world.js'

/** The process, the vault and the item that an event refers to. */
export interface EventTarget {
  readonly world: World
  /** The number of a process. */
  readonly by: number
  readonly vaultId: string
  readonly itemId: string
}

const maxWaitMs = 2 * 3_600_000

/** Every event by its name. */
export const events = {
  /** A process ends and is started again. A step that is paused in it may have happened. */
  restart: async ({ world, by }) => {
    if (!world.isPaused(by)) world.restart(by)
  },
  resume: ({ world, by }) => world.resume(by),
  denyKeys: async ({ world }) => {
    world.isDenied = true
  },
  allowKeys: async ({ world }) => {
    world.isDenied = false
  },
  /** Longer than data of an upload is kept that is still running. */
  wait: async ({ world }) => {
    world.elapsedMs += maxWaitMs
  },

  /** One bit of an item's record is flipped. */
  async damage({ world, vaultId, itemId }) {
    const { model, lives, disk, setup } = world
    const place = `item ${vaultId}/${itemId}`
    const [value = '', ...others] = model.possible(place)
    const canTell = setup.keyRings !== undefined && others.length === 0
    if (!canTell || !itemValue.isReadable(value) || model.isBusy(`item ${vaultId}/`)) return
    await disk.damage({ collection: `items/${vaultId}`, id: itemId })
    lives.damage(place)
    model.set(place, itemValue.toDamaged(value))
    // Its record alone has named its files.
    for (const id of await disk.blobsOf(vaultId)) world.lostBlobs.add(id)
    for (const file of model.places(`file ${vaultId}/${itemId}/`)) model.set(file, nothing)
  },

  /** One bit of the record of a credential is flipped. */
  async damageCredential({ world, vaultId }) {
    const { model, lives, disk, setup } = world
    const [place = ''] = model.places(`credential ${vaultId}/`)
    const [value = '', ...others] = model.possible(place)
    const itemId = world.credentialIds.get(place)
    const canTell = setup.keyRings !== undefined && others.length === 0 && itemId !== undefined
    if (!canTell || !itemValue.isReadable(value) || model.isBusy(`credential ${vaultId}/`)) return
    await disk.damage({ collection: `items/${vaultId}`, id: itemId })
    lives.damage(place)
    model.set(place, itemValue.toDamaged(value))
  },

  /** A process is started without encryption. */
  async startWithoutKeys({ world }) {
    const rings = await world.disk.store.records.list('keys', { limit: 1 })
    if (rings.length === 0) return
    const service = startPlainService(world)
    const caller = createCaller({ id: 'plain', vaults: '*' })
    const message = await service.createVault(caller, { name: 'Plain' }).then(
      () => '',
      (error: Error) => error.message,
    )
    if (!message.includes('createEncryptedStore'))
      throw new BrokenPromise('P1', 'a process without keys writes beside encrypted records')
  },
} satisfies Readonly<Record<string, (target: EventTarget) => Promise<void>>>
