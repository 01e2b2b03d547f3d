/** A service that can be replaced by a new one, while everything that uses it keeps its reference. */

import type { VaultEventListener, VaultEventType, VaultService } from '../../index.js'

/** A service, and the function that restarts it. */
export interface RestartableService {
  /** The members call those of the current service. */
  readonly service: VaultService
  /** Replaces the current service by a new one, which has the same listeners or none. */
  restart(listeners: 'keep' | 'remove'): void
}

/** Creates a service. `create` is called now and at each restart. */
export function createRestartableService(create: () => VaultService): RestartableService {
  let current = create()
  const listeners = new Set<{
    readonly type: VaultEventType
    readonly listener: VaultEventListener
    remove: () => void
  }>()
  const on: VaultService['on'] = (type, listener) => {
    const entry = { type, listener, remove: current.on(type, listener) }
    listeners.add(entry)
    return () => {
      listeners.delete(entry)
      entry.remove()
    }
  }
  const forwarded = Reflect.ownKeys(current).map((name): [PropertyKey, PropertyDescriptor] => [
    name,
    typeof Reflect.get(current, name) === 'function'
      ? { value: (...values: unknown[]) => Reflect.get(current, name)(...values) }
      : { get: () => Reflect.get(current, name) },
  ])
  // Frozen, and its members are not enumerable, like those of a service.
  const members = { ...Object.fromEntries(forwarded), on: { value: on } }
  const service = Object.freeze(Object.create(Object.prototype, members))
  return {
    service,
    restart(kept) {
      current = create()
      if (kept === 'remove') listeners.clear()
      for (const entry of listeners) entry.remove = current.on(entry.type, entry.listener)
    },
  }
}
