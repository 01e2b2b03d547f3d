/** A store whose records can be damaged as a bad disk does: their versions stay the same. */

import type { RecordKey, StoredRecord, VaultStore } from '../../../src/index.js'

/** A store, and the damage of its records. */
export interface DamagedStore {
  readonly store: VaultStore
  /**
   * Flips a bit of one byte of the stored record, by default of its last one, until the record is
   * written again or `repair` is called.
   */
  damage(key: RecordKey, offset?: number): Promise<void>
  repair(): void
}

/** Wraps a store. Nothing is damaged yet. */
export function createDamagedStore({ records, blobs }: VaultStore): DamagedStore {
  const damages = new Map<string, { readonly version: number; readonly offset: number }>()
  const nameOf = ({ collection, id }: RecordKey): string => `${collection}\n${id}`
  const read = <Stored extends StoredRecord>(key: RecordKey, stored: Stored): Stored => {
    const damage = damages.get(nameOf(key))
    if (damage?.version !== stored.version) return stored
    const body = stored.body.map((byte, index) => (index === damage.offset ? byte ^ 0x04 : byte))
    return { ...stored, body }
  }
  return {
    store: {
      blobs,
      records: {
        put: (key, record, version) => records.put(key, record, version),
        delete: (key, version) => records.delete(key, version),
        async get(key) {
          const stored = await records.get(key)
          return stored && read(key, stored)
        },
        async list(collection, query) {
          const rows = await records.list(collection, query)
          return rows.map((row) => read({ collection, id: row.id }, row))
        },
      },
    },
    async damage(key, offset) {
      const stored = await records.get(key)
      if (stored === undefined) throw new Error(`${nameOf(key)} is not stored`)
      const { version, body } = stored
      damages.set(nameOf(key), { version, offset: offset ?? body.length - 1 })
    },
    repair: () => damages.clear(),
  }
}
