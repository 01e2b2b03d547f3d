/** Emits events after changes are stored. */

import { callback, oneOf, readArgument } from '../../base/argument.js'
import { type VaultEvent, type VaultEventType, vaultEventTypes } from './change.js'

/** Called with each event of a type. Its result is ignored, even if it throws or rejects. */
export type VaultEventListener = (event: VaultEvent) => unknown

/** The listeners of one service. */
export interface VaultEvents {
  /** The listeners of all types. */
  readonly listeners: ReadonlySet<object>
  /**
   * Adds a listener.
   * @returns A function that removes it.
   * @throws TypeError if the type is unknown or the listener is not a function.
   */
  on(type: VaultEventType, listener: VaultEventListener): () => void
  /**
   * Calls the listeners of the event's type synchronously, in the order in which they were added.
   * The event is frozen.
   */
  emit(event: VaultEvent): void
}

/** Creates the events of a service, without listeners. */
export function createVaultEvents(): VaultEvents {
  const entries = new Set<{
    readonly type: VaultEventType
    readonly listener: VaultEventListener
  }>()
  return {
    listeners: entries,
    on(type, listener) {
      readArgument(oneOf(...vaultEventTypes), { type, listener })
      callback()(listener, 'listener')
      const entry = { type, listener }
      entries.add(entry)
      return () => void entries.delete(entry)
    },
    emit(event) {
      Object.freeze(event)
      // Copied, because a listener may add and remove listeners.
      for (const entry of [...entries])
        if (entry.type === event.type && entries.has(entry))
          new Promise((resolve) => resolve(entry.listener(event))).catch(() => {})
    },
  }
}
