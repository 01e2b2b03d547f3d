/** The requests that the store sends to etcd's JSON gateway, with the members that it uses. */

import type { Base64, KeyRange } from './keys.js'

/** A condition of a transaction. All must be true. Numbers are decimal. */
export type Compare =
  | { readonly target: 'VERSION'; readonly key: Base64; readonly version: string }
  | { readonly target: 'MOD'; readonly key: Base64; readonly mod_revision: string }
  | { readonly target: 'CREATE'; readonly key: Base64; readonly create_revision: string }
  | { readonly target: 'VALUE'; readonly key: Base64; readonly value: Base64 }

/** The keys to read. The reads of the store are linearizable, the default of etcd. */
export interface RangeRequest extends Partial<KeyRange> {
  readonly key: Base64
  readonly limit?: number
  readonly keys_only?: boolean
  /** Default: the newest. */
  readonly revision?: string
}

/** An operation of a transaction. */
export type Operation =
  | { readonly request_range: RangeRequest }
  | { readonly request_put: { readonly key: Base64; readonly value: Base64 } }
  | { readonly request_delete_range: Partial<KeyRange> & { readonly key: Base64 } }

/** A transaction. `success` is executed if every condition is true, otherwise `failure`. */
export interface Transaction {
  readonly compare?: readonly Compare[]
  readonly success: readonly Operation[]
  readonly failure?: readonly Operation[]
}

/** The condition that the key has this version. 0 means that it does not exist. */
export function hasVersion(key: Base64, version: number): Compare {
  return { target: 'VERSION', key, version: String(version) }
}

/** The condition that the key was not written since this revision. */
export function isUnmodified(key: Base64, modRevision: string): Compare {
  return { target: 'MOD', key, mod_revision: modRevision }
}

/** The condition that the key was created by the transaction of this revision. */
export function wasCreatedAt(key: Base64, revision: string): Compare {
  return { target: 'CREATE', key, create_revision: revision }
}

/** The condition that the key has this value. */
export function hasValue(key: Base64, value: Base64): Compare {
  return { target: 'VALUE', key, value }
}

/** The operation that writes a key. */
export function put(key: Base64, value: Base64): Operation {
  return { request_put: { key, value } }
}

/** The operation that removes a key, or a range of them. */
export function remove(range: Partial<KeyRange> & { readonly key: Base64 }): Operation {
  return { request_delete_range: range }
}

/** The operation that reads keys. */
export function read(range: RangeRequest): Operation {
  return { request_range: range }
}
