/** A service that can be replaced by a new one, while everything that uses it keeps its reference. */

import type { VaultEventListener, VaultEventType, VaultService } from '../../index.js'

/** A service, and the function that restarts it. */
export interface RestartableService {
  /** The members call those of the current service. */
  readonly service: VaultService
  /** Replaces the current service by a new one, which has the same listeners or none. */
  restart(listeners: 'keep' | 'remove'): void
}

/** A method of a service, and its variant for HTTP if it has one. */
interface ServiceMethod {
  (...values: readonly unknown[]): unknown
  readonly run?: (...values: readonly unknown[]) => unknown
}

/** Creates a service. `create` is called now and at each restart. */
export function createRestartableService(create: () => VaultService): RestartableService {
  let current = create()
  const listeners = new Set<{
    readonly type: VaultEventType
    readonly listener: VaultEventListener
    remove: () => void
  }>()
  const names = Object.entries(current).flatMap(([name, member]) =>
    typeof member === 'function' ? [name] : [],
  )
  const forward = (name: string): ServiceMethod => {
    const find = (): ServiceMethod => Reflect.get(current, name)
    const method: ServiceMethod = (...values) => Reflect.apply(find(), current, values)
    if (find().run === undefined) return method
    const run: ServiceMethod = (...values) => find().run?.(...values)
    return Object.assign(method, { run: Object.assign(run, { method }) })
  }
  const service: VaultService = {
    ...(Object.fromEntries(names.map((name) => [name, forward(name)])) as unknown as VaultService),
    as(this: VaultService | undefined, caller) {
      return Reflect.apply(current.as, this ?? service, [caller])
    },
    on(type, listener) {
      const entry = { type, listener, remove: current.on(type, listener) }
      listeners.add(entry)
      return () => {
        listeners.delete(entry)
        entry.remove()
      }
    },
    get stats() {
      return current.stats
    },
    dialect: current.dialect,
  }
  return {
    service,
    restart(kept) {
      current = create()
      if (kept === 'remove') listeners.clear()
      for (const entry of listeners) entry.remove = current.on(entry.type, entry.listener)
    },
  }
}
