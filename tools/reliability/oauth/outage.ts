/** Makes a store fail for a while, in one of several ways. */

import { StorageUnavailableError, type VaultStore } from 'cofferkit'
import type { GrantSource } from 'cofferkit/oauth'

/** A way in which a store fails. */
export type OutageKind = (typeof outageKinds)[number]

/** All ways. */
export const outageKinds = [
  'every call fails',
  'only reads work',
  'calls wait for the end',
  'writes are made, but fail',
] as const

/** A switch. */
export interface Outage {
  /** Returns a store that fails while the switch is on. */
  wrap(store: VaultStore): VaultStore
  /** Returns grants that fail while the switch is on. */
  wrapGrants(grants: GrantSource<string>): GrantSource<string>
  begin(kind: OutageKind): void
  /** Ends the outage. The calls that have waited for it are made now. */
  end(): void
  readonly isOn: boolean
}

/** Creates a switch that is off. */
export function createOutage(): Outage {
  let kind: OutageKind | undefined
  let waiting: (() => void)[] = []

  async function fail<Result>(call: () => Promise<Result>, isWrite: boolean): Promise<Result> {
    switch (kind) {
      case undefined:
        return call()
      case 'calls wait for the end':
        await new Promise<void>((resolve) => waiting.push(resolve))
        return call()
      case 'writes are made, but fail':
        if (!isWrite) return call()
        await call()
        break
      case 'only reads work':
        if (!isWrite) return call()
    }
    throw new StorageUnavailableError('the store is out of reach')
  }

  return {
    wrap: ({ records, blobs }) => ({
      blobs,
      records: {
        get: (key) => fail(() => records.get(key), false),
        list: (...query) => fail(() => records.list(...query), false),
        put: (...record) => fail(() => records.put(...record), true),
        delete: (...record) => fail(() => records.delete(...record), true),
      },
    }),
    wrapGrants: (grants) => ({
      ...grants,
      read: (ref) => fail(() => grants.read(ref), false),
      replace: (...row) => fail(() => grants.replace(...row), true),
    }),
    begin(next) {
      kind = next
    },
    end() {
      kind = undefined
      for (const resume of waiting) resume()
      waiting = []
    },
    get isOn() {
      return kind !== undefined
    },
  }
}
