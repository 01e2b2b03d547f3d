/** The etcd store as one of the stores that the programs run on. */

import type { VaultStore } from 'cofferkit'
import { createEtcdStore, type EtcdStoreOptions } from 'cofferkit/etcd'
import { startEtcd } from './etcd-server.js'

/** A cluster, and how it is used. */
export interface EtcdAddress {
  readonly endpoints: readonly string[]
  readonly timeoutMs?: number
  /** Makes the store break its contract. */
  readonly defect?: EtcdDefect
}

/** Defects of a store: reads that any member answers alone, or writes without conditions. */
export type EtcdDefect = 'serializable reads' | 'no compare'

/** Starts a cluster of one member. */
export async function createEtcdLocation(): Promise<{
  address: string
  remove: () => Promise<void>
}> {
  const server = await startEtcd()
  const address: EtcdAddress = { endpoints: [server.endpoint] }
  return { address: JSON.stringify(address), remove: () => server.stop() }
}

/** Opens a store on the address in JSON. Each process begins with another endpoint. */
export async function connectToEtcd(
  address: string,
): Promise<{ store: VaultStore; close: () => Promise<void> }> {
  return { store: openEtcd(JSON.parse(address), process.pid), close: async () => {} }
}

/** Opens a store that begins with the endpoint of this number, counted around. */
export function openEtcd({ endpoints, defect, ...rest }: EtcdAddress, first: number): VaultStore {
  const start = first % endpoints.length
  const rotated = [...endpoints.slice(start), ...endpoints.slice(0, start)]
  const options: EtcdStoreOptions = { ...rest, endpoints: rotated }
  return createEtcdStore(defect === undefined ? options : { ...options, fetch: breakFetch(defect) })
}

/** Returns a `fetch` that changes the requests of the store. */
function breakFetch(defect: EtcdDefect): NonNullable<EtcdStoreOptions['fetch']> {
  return (url, init) => {
    const body = JSON.parse(String(init.body))
    if (defect === 'no compare' && body.compare !== undefined) body.compare = []
    if (defect === 'serializable reads') {
      if (url.endsWith('/range')) body.serializable = true
      else if (body.compare === undefined)
        for (const { request_range } of body.success)
          if (request_range !== undefined) request_range.serializable = true
    }
    return fetch(url, { ...init, body: JSON.stringify(body) })
  }
}
