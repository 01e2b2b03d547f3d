/** A service with its store, clock and randomness, which can be saved, reset and killed. */

import { anyFunction, anyStore, argumentError, like } from '../../base/argument.js'
import {
  createVaultService,
  type VaultService,
  type VaultServiceOptions,
  type VaultStore,
} from '../../index.js'
import { createRandomSource, createTestClock, type TestClock } from '../deterministic.js'
import { noLimits } from '../seed.js'
import type { StoreCall } from '../store-calls.js'
import { createCopyableStore, type StoreContents } from './copyable-store.js'
import { createRestartableService } from './restartable-service.js'
import { createStoppableStore } from './stoppable-store.js'

/**
 * The state of a test vault at one time: everything in its store, its clock and its randomness. The
 * contents are not members, so that printing a snapshot shows no secret.
 */
export interface VaultSnapshot {
  /** The time of the clock, RFC 3339 in UTC. */
  readonly time: string
}

/** The moment at which `crash` kills the process. */
export interface CrashPoint {
  /**
   * Starts the calls during which the process dies, and returns a promise that settles when they
   * have. Its result and its error are ignored.
   */
  readonly during: () => unknown
  /**
   * Called before every call that the service makes to the store, with the numbers of calls since
   * `crash` was called. The process dies before the call that it returns `before` for, or after the
   * call that it returns `after` for: that call happened, but its result is lost.
   */
  readonly at: (call: StoreCall) => 'before' | 'after' | undefined
}

/** The options of `createVaultService`, with a clock that can be moved. */
export interface WorldOptions extends Omit<VaultServiceOptions, 'store' | 'now'> {
  /** By default the store is in memory. */
  readonly store?: VaultStore | undefined
  readonly now?: TestClock | undefined
}

/** A service that can be saved, reset and killed. */
export interface World {
  readonly service: VaultService
  /**
   * A service on the same store without the options that are rules for calls. It is valid until
   * `reset` or `crash`.
   */
  readonly unruled: VaultService
  readonly store: VaultStore
  readonly clock: TestClock
  snapshot(): Promise<VaultSnapshot>
  reset(snapshot: VaultSnapshot): Promise<void>
  crash(point: CrashPoint | undefined, onDeath: () => void): Promise<boolean>
}

interface State {
  readonly contents: StoreContents
  readonly time: number
  readonly random: number
}

const states = new WeakMap<VaultSnapshot, State>()

/** Creates a world. The store, the clock and the randomness of the options replace its own. */
export function createWorld(options: WorldOptions): World {
  const { now: clock = createTestClock() } = options
  const random = createRandomSource()
  const ownStore = options.store === undefined ? createCopyableStore() : undefined
  const store = ownStore ?? options.store
  like(anyStore)(store, 'options.store')
  let stoppable = createStoppableStore(store as VaultStore)
  const open = (given: WorldOptions): VaultService =>
    createVaultService({
      ...given,
      randomBytes: given.randomBytes ?? random.randomBytes,
      maxInlineFileSizeKb: given.maxInlineFileSizeKb ?? 1,
      strict: given.strict ?? given.dialect === undefined,
      retry: { ...given.retry, sleep: given.retry?.sleep ?? (async () => {}) },
      now: clock,
      store: stoppable,
    })
  const { service, restart } = createRestartableService(() => open(options))
  const { around: _, beforeCreateVault: __, validateItem: ___, strict: ____, ...others } = options
  const restartOnStore = (listeners: 'keep' | 'remove'): void => {
    stoppable.stop()
    stoppable = createStoppableStore(store as VaultStore)
    restart(listeners)
  }
  const requireOwnStore = () => {
    if (ownStore === undefined)
      throw new Error('a vault with an own store has no snapshots: leave out options.store')
    return ownStore
  }
  return {
    service,
    unruled: open({ ...others, limits: noLimits }),
    store: store as VaultStore,
    clock,
    async snapshot() {
      const time = clock()
      const state = { time: time.getTime(), random: random.state }
      const contents = await requireOwnStore().save()
      const snapshot = { time: time.toISOString() }
      states.set(snapshot, { ...state, contents })
      return snapshot
    },
    async reset(snapshot) {
      const own = requireOwnStore()
      const state = states.get(snapshot)
      if (state === undefined) throw argumentError(snapshot, 'snapshot', 'the result of snapshot()')
      const { contents, time, random: randomState } = state
      restartOnStore('keep')
      await own.load(contents)
      clock.advance(time - clock().getTime())
      random.state = randomState
    },
    async crash(point, onDeath) {
      let isReached = false
      let error: { readonly reason: unknown } | undefined
      if (point !== undefined) {
        like({ during: anyFunction, at: anyFunction })(point, 'point')
        const stopped = stoppable.stopAt(point.at, onDeath).then(
          () => {
            isReached = true
          },
          (reason: unknown) => {
            error = { reason }
          },
        )
        const work = (async () => point.during())().catch(() => {})
        await Promise.race([stopped, work])
      }
      onDeath()
      restartOnStore('remove')
      if (error !== undefined) throw error.reason
      return isReached
    },
  }
}
