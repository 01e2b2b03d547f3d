/** Tells listeners of changes after they are stored. */

import type { Change, VaultEventType } from './change-hooks.js'

/** A change that is stored. It holds ids and versions, never a value. */
export interface VaultEvent extends Change {
  /** The operation that made the change. */
  readonly operation: string
  /** The id of who made it. */
  readonly callerId: string
  /** When it was stored, RFC 3339 in UTC. */
  readonly at: string
}

/** Hears of a change. What it throws, or rejects with, is nobody's. */
export type VaultEventListener = (event: VaultEvent) => unknown

/** The listeners of one service. */
export interface VaultEvents {
  /** Whether anybody listens. */
  hasListeners(): boolean
  /** Calls `listener` on every event of the type from now on, until what is answered is called. */
  on(type: VaultEventType, listener: VaultEventListener): () => void
  /** Calls the listeners of the event's type, one after the other, at once. None of them can change the event. */
  emit(event: VaultEvent): void
}

/** No listener yet. */
export function createVaultEvents(): VaultEvents {
  const listeners: { readonly type: VaultEventType; readonly listener: VaultEventListener }[] = []
  return {
    hasListeners: () => listeners.length > 0,
    on(type, listener) {
      const entry = { type, listener }
      listeners.push(entry)
      return () => {
        const ref = listeners.indexOf(entry)
        if (ref >= 0) listeners.splice(ref, 1)
      }
    },
    emit(event) {
      Object.freeze(event)
      for (const entry of [...listeners])
        if (entry.type === event.type && listeners.includes(entry)) call(entry.listener, event)
    },
  }
}

function call(listener: VaultEventListener, event: VaultEvent): void {
  try {
    Promise.resolve(listener(event)).catch(() => {})
  } catch {}
}
