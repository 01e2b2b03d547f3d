/** The operations of the core as steps. */

import { DecryptionError } from 'cofferkit'
import { contentOf, draftOf, secretOf } from './contents.js'
import { type Effect, type Effects, itemValue, nothing } from './model.js'
import type { Plan, World } from './world.js'

/** The vault and the item that a step refers to. */
export interface Target {
  readonly world: World
  readonly vaultId: string
  readonly itemId: string
}

/** Plans a step; undefined if there is nothing that it could do. */
export type Planner = (target: Target) => Plan | undefined

const { isReadable, isTrash, isDamaged, toTrash, fromTrash } = itemValue
/** A step that needs a vault and does not change it. */
export const needLiveVault: Effect = { can: (value) => value === 'live', to: (value) => value }
const nothingLeft: Effect = { can: () => true, to: () => nothing }
const needReadable: Effect = { can: isReadable, to: (value) => value }

/** Returns the place of a vault. */
export const vaultPlace = (vaultId: string): string => `vault ${vaultId}`
const itemPlace = ({ vaultId, itemId }: { vaultId: string; itemId: string }): string =>
  `item ${vaultId}/${itemId}`

/** Returns true if a vault has made the id, which then can never be chosen. */
const isMadeByVault = (id: string): boolean => /^[0189]/.test(id)

/** Every step by its name. */
export const coreSteps = {
  createVault({ world, vaultId }) {
    const place = vaultPlace(vaultId)
    const isThere = !world.model.possible(place).has(nothing)
    const can = (value: string): boolean => value === nothing && !isMadeByVault(vaultId)
    const created: Effect = { can, to: () => 'live' }
    return {
      // Leftovers of an earlier vault are deleted first.
      effects: new Map([[place, created], ...(isThere ? [] : contentsOf(vaultId))]),
      call: ({ service }, caller) => service.createVault(caller, { vaultId, name: 'Vault' }),
      done: () => void world.createdVaultIds.add(vaultId),
    }
  },

  createVaultWithRandomId: ({ world }) => ({
    effects: new Map(),
    call: ({ service }, caller) => service.createVault(caller, { name: 'Vault' }),
    done(vault) {
      const { id } = vault as { id: string }
      world.vaultIds.push(id)
      world.createdVaultIds.add(id)
      world.model.set(vaultPlace(id), 'live')
    },
  }),

  deleteVault: ({ vaultId }) => ({
    effects: new Map([
      [vaultPlace(vaultId), { can: (value) => value === 'live', to: () => nothing }],
      ...contentsOf(vaultId),
    ]),
    isStepwise: true,
    call: ({ service }, caller) => service.deleteVault(caller, { vaultId }),
  }),

  createItem({ world, vaultId, itemId }) {
    const mark = world.nextMark()
    const can = (value: string): boolean => value === nothing && !isMadeByVault(itemId)
    return writeItem({ world, vaultId, itemId }, { can, to: () => mark, mark }, (call) =>
      call.service.createItem(call.caller, { vaultId, itemId, item: draftOf(vaultId, mark) }),
    )
  },

  /** A caller who has expired changes nothing, in a transaction or outside. */
  createItemTooLate({ vaultId, itemId, world }) {
    const mark = world.nextMark()
    const refused: Effect = { can: () => false, to: (value) => value }
    return writeItem({ world, vaultId, itemId }, refused, ({ service, caller }) =>
      service.createItem(
        { ...caller, expiresAt: new Date(0) },
        { vaultId, itemId, item: draftOf(vaultId, mark) },
      ),
    )
  },

  createItemWithRandomId({ world, vaultId }) {
    const mark = world.nextMark()
    const strays = world.strays.get(vaultId) ?? new Set()
    world.strays.set(vaultId, strays.add(mark))
    return {
      effects: new Map([[vaultPlace(vaultId), needLiveVault]]),
      call: ({ service }, caller) =>
        service.createItem(caller, { vaultId, item: draftOf(vaultId, mark) }),
      done(item) {
        const place = itemPlace({ vaultId, itemId: (item as { id: string }).id })
        // It can have been found while the call was paused.
        if (!strays.delete(mark)) return
        world.itemIds.push((item as { id: string }).id)
        world.lives.plan(place, mark)
        world.model.set(place, mark)
      },
    }
  },

  replaceItem(target) {
    const mark = target.world.nextMark()
    const { vaultId, itemId } = target
    return writeItem(target, { can: isReadable, to: () => mark, mark }, ({ service, caller }) =>
      service.replaceItem(caller, { vaultId, itemId, item: draftOf(vaultId, mark) }),
    )
  },

  /** A damaged item is replaced by its version, which its error contains. */
  replaceDamagedItem(target) {
    const { world, vaultId, itemId } = target
    const isThere = [...world.model.possible(itemPlace(target))].some(isDamaged)
    if (!isThere) return undefined
    const mark = world.nextMark()
    const can = (value: string): boolean => isReadable(value) || isDamaged(value)
    return writeItem(target, { can, to: () => mark, mark }, async ({ service, caller }) => {
      const ref = { vaultId, itemId }
      const ifVersion = await service.getItem(caller, ref).then(
        ({ version }) => version,
        (error: unknown) => {
          if (error instanceof DecryptionError && error.record) return error.record.version
          throw error
        },
      )
      return service.replaceItem(caller, { ...ref, item: draftOf(vaultId, mark), ifVersion })
    })
  },

  patchItem(target) {
    const mark = target.world.nextMark()
    const { vaultId, itemId } = target
    const patch = [{ op: 'replace', path: '/fields/secret/value', value: secretOf(mark) }] as const
    return writeItem(target, { can: isReadable, to: () => mark, mark }, ({ service, caller }) =>
      service.patchItem(caller, { vaultId, itemId, patch }),
    )
  },

  restoreVersion(target) {
    const { vaultId, itemId, world } = target
    const archived = world.lives.findArchived(itemPlace(target))
    if (archived === undefined || world.model.isBusy(`item ${vaultId}/`)) return undefined
    const { version, mark } = archived
    return writeItem(target, { can: isReadable, to: () => mark, mark }, ({ service, caller }) =>
      service.restoreVersion(caller, { vaultId, itemId, version }),
    )
  },

  moveToTrash: (target) =>
    setState(target, 'DELETED', (value) => (isTrash(value) ? value : toTrash(value))),
  takeFromTrash: (target) =>
    setState(target, 'ACTIVE', (value) => (isTrash(value) ? fromTrash(value) : value)),

  deleteItem: (target) =>
    writeItem(
      target,
      { can: (value) => isReadable(value) || isDamaged(value), to: () => nothing },
      ({ service, caller }) => {
        const { vaultId, itemId } = target
        return service.deleteItem(caller, { vaultId, itemId })
      },
    ),

  attachFile(target) {
    const { world, vaultId, itemId } = target
    const name = world.nextMark()
    const content = new TextEncoder().encode(contentOf(name))
    const attached: Effect = { can: (value) => value === nothing, to: () => 'attached' }
    const plan = writeItem(target, needReadable, ({ service, caller }) =>
      service.attachFile(caller, { vaultId, itemId, name, content }),
    )
    return { ...plan, effects: with_(plan.effects, `file ${vaultId}/${itemId}/${name}`, attached) }
  },

  removeFile(target) {
    const { world, vaultId, itemId } = target
    const files = world.model.places(`file ${vaultId}/${itemId}/`)
    const place = files.find((each) => world.model.possible(each).has('attached'))
    if (place === undefined) return undefined
    const name = place.slice(place.lastIndexOf('/') + 1)
    const removed: Effect = { can: (value) => value === 'attached', to: () => nothing }
    const plan = writeItem(target, needReadable, async ({ service, caller }) => {
      const files = await service.listFiles(caller, { vaultId, itemId })
      const fileId = files.find((file) => file.name === name)?.id ?? crypto.randomUUID()
      await service.removeFile(caller, { vaultId, itemId, fileId })
    })
    return { ...plan, effects: with_(plan.effects, place, removed) }
  },

  collectGarbage: ({ vaultId }) => ({
    effects: new Map([[vaultPlace(vaultId), needLiveVault]]),
    isStepwise: true,
    call: ({ service }, caller) => service.collectGarbage(caller, { vaultId }),
  }),
} satisfies Readonly<Record<string, Planner>>

/** Returns the effects of an end of everything that is in a vault. */
function contentsOf(vaultId: string): readonly (readonly [string, Effect])[] {
  return [
    [`item ${vaultId}/`, nothingLeft],
    [`credential ${vaultId}/`, nothingLeft],
    [`grant ${vaultId}/`, nothingLeft],
  ]
}

interface Call {
  readonly service: Parameters<Plan['call']>[0]['service']
  readonly caller: Parameters<Plan['call']>[1]
}

/** Returns the plan of a step that changes one item of a vault. */
function writeItem(target: Target, effect: Effect, call: (with_: Call) => Promise<unknown>): Plan {
  const { world, vaultId } = target
  const place = itemPlace(target)
  if (effect.mark !== undefined) world.lives.plan(place, effect.mark)
  return {
    effects: new Map([
      [vaultPlace(vaultId), needLiveVault],
      [place, effect],
    ]),
    call: ({ service }, caller) => call({ service, caller }),
  }
}

function setState(target: Target, state: 'DELETED' | 'ACTIVE', to: Effect['to']): Plan {
  const { vaultId, itemId } = target
  const can = (value: string): boolean => isReadable(value) || isTrash(value)
  return writeItem(target, { can, to }, ({ service, caller }) =>
    service.setItemState(caller, { vaultId, itemId, state }),
  )
}

function with_(effects: Effects, place: string, effect: Effect): Effects {
  return new Map([...effects, [place, effect]])
}
