/** The baseline of etcd: the requests of the store, written by hand, without its checks. */

import type { RawRecords } from './record-pairs.js'

interface RawKey {
  readonly key: string
  readonly version: string
  readonly value: string
}

const prefix = 'cofferkit/'

/** Creates a client. A put must not change the index key, and the size only a little. */
export function createRawEtcd(endpoint: string): RawRecords {
  const post = async (path: string, body: object) => {
    const response = await fetch(`${endpoint}/v3/kv/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (response.status !== 200) throw new Error(`status ${response.status}`)
    return response.json()
  }
  return {
    async get(collection, id) {
      const key = encode(`${prefix}records\0${collection}\0${id}`)
      const { kvs }: { kvs: RawKey[] } = await post('range', { key })
      const [found] = kvs
      return { version: Number(found?.version), body: Buffer.from(found?.value ?? '', 'base64') }
    },
    async put({ collection, id, indexKey, body }, version) {
      const record = encode(`${prefix}records\0${collection}\0${id}`)
      const entry = encode(`${prefix}entries\0${collection}\0${id}`)
      const step = 2 ** (29 - Math.clz32(body.length - 1))
      const value = encode(`${Math.ceil(body.length / step) * step} ${indexKey}`)
      const { succeeded }: { succeeded?: boolean } = await post('txn', {
        compare: [
          { target: 'VERSION', key: record, version: String(version) },
          { target: 'VALUE', key: entry, value },
        ],
        success: [{ request_put: { key: record, value: Buffer.from(body).toString('base64') } }],
        failure: [
          { request_range: { key: record, keys_only: true } },
          { request_range: { key: entry } },
        ],
      })
      return succeeded === true
    },
    async list(collection, limit) {
      const records = `${prefix}records\0${collection}\0`
      const entries = `${prefix}entries\0${collection}\0`
      const range = { key: encode(records), range_end: encode(`${records}\x7f`), limit }
      const { header } = await post('txn', {
        success: [
          { request_range: { ...range, keys_only: true } },
          { request_range: { key: encode(entries), range_end: encode(`${entries}\x7f`), limit } },
        ],
      })
      const { kvs }: { kvs: RawKey[] } = await post('range', {
        ...range,
        revision: header.revision,
      })
      return kvs.map(({ key, value }) => ({
        id: Buffer.from(key, 'base64').toString().slice(records.length),
        body: Buffer.from(value, 'base64'),
      }))
    },
  }
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64')
}
