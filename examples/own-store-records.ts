/** A record store in a log of every write, which any number of processes can share. */

import { randomUUID } from 'node:crypto'
import {
  fdatasyncSync,
  fstatSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs'
import type { RecordStore } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'

/**
 * A record store in the file at `path`, which is created if it does not exist. The order of the
 * lines decides which write came first: every process applies them one by one to a memory store,
 * with the same result. The log only grows, and all of it is in memory.
 */
export function openLogRecords(path: string): RecordStore {
  const { records } = createMemoryStore()
  const log = openSync(path, 'a+', 0o600)
  let end = 0
  const readOn = async (mine?: string): Promise<boolean> => {
    const rest = Buffer.alloc(fstatSync(log).size - end)
    if (rest.length > 0) fdatasyncSync(log) // act only on writes that survive a crash
    readSync(log, rest, 0, rest.length, end)
    const lines = rest.subarray(0, rest.lastIndexOf('\n') + 1)
    end += lines.length
    const outcomes = lines.toString().split('\n').map(apply)
    return outcomes.find((outcome) => outcome?.nonce === mine)?.done ?? false
  }
  const apply = (
    line: string,
  ): { nonce: string; done: Promise<boolean> } | undefined => {
    if (!/"nonce":"[\w-]{36}"}$/.test(line)) return undefined // empty, or truncated by a crash
    const {
      nonce,
      key,
      seen: expectedVersion,
      body,
      ...rest
    } = JSON.parse(line)
    const record = { ...rest, body: Buffer.from(body ?? '', 'base64') }
    const isDelete = body === undefined
    return {
      nonce,
      done: isDelete
        ? records.delete(key, expectedVersion)
        : records.put(key, record, expectedVersion),
    }
  }
  const append = async (write: object): Promise<boolean> => {
    const nonce = randomUUID()
    const line = Buffer.from(`\n${JSON.stringify({ ...write, nonce })}\n`)
    // A single call, so that no other process writes in between.
    if (writeSync(log, line) < line.length) throw new Error('the disk is full')
    return readOn(nonce)
  }
  return {
    get: (key) => readOn().then(() => records.get(key)),
    put: (key, { body, ...rest }, expectedVersion) =>
      append({
        key,
        seen: expectedVersion,
        ...rest,
        body: Buffer.from(body).toString('base64'),
      }),
    delete: (key, expectedVersion) => append({ key, seen: expectedVersion }),
    list: (collection, page) =>
      readOn().then(() => records.list(collection, page)),
  }
}
