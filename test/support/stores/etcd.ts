/** etcd for tests: a server of one member, if it is installed. */

import { etcdProgram } from '../../../reliability/support/etcd-server.js'
import type { VaultStore } from '../../../src/index.js'
import { createEtcdStore, type EtcdStoreOptions } from '../../../src/storage/etcd.js'

/** True if etcd is installed. */
export const hasEtcd = etcdProgram() !== undefined

/** The suffix of titles when etcd is not installed. */
export const skippedSuffix = hasEtcd ? '' : ' (not run: install etcd-server)'

let prefixes = 0

/** Creates a store with a prefix of its own. */
export function createStoreAt(
  endpoint: string,
  options: Partial<EtcdStoreOptions> = {},
): VaultStore {
  return createEtcdStore({ endpoints: [endpoint], prefix: `t${++prefixes}/`, ...options })
}

/** Encodes text in base64. */
export function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** Sends a request to the gateway. Resolves with the parsed response. */
export async function callGateway(
  endpoint: string,
  path: string,
  body: object,
  token?: string,
): Promise<Record<string, unknown>> {
  const headers = token === undefined ? {} : { Authorization: token }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  return (await fetch(`${endpoint}/v3/${path}`, init)).json() as Promise<Record<string, unknown>>
}

/** Returns all keys of the server that begin with the prefix. */
export async function listKeys(endpoint: string, prefix: string): Promise<readonly string[]> {
  const range = { key: base64(prefix), range_end: base64(`${prefix}\x7f`), keys_only: true }
  const { kvs = [] } = await callGateway(endpoint, 'kv/range', range)
  return (kvs as { key: string }[]).map(({ key }) => Buffer.from(key, 'base64').toString())
}
