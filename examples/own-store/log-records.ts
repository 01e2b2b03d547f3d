/** Records in a log of every write, which any number of processes may share. */

import { randomUUID } from 'node:crypto'
import { fdatasyncSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import type { RecordStore } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'

/**
 * Records in the file at `path`, made if it is not there. The order of the lines decides who was first: a memory store
 * that is told them one by one comes to the same in every process. The log only grows, and all of it is in memory.
 */
export function openLogRecords(path: string): RecordStore {
  const { records } = createMemoryStore()
  const log = openSync(path, 'a+', 0o600)
  let end = 0
  const readOn = async (mine?: string): Promise<boolean> => {
    const rest = Buffer.alloc(fstatSync(log).size - end)
    if (rest.length > 0) fdatasyncSync(log) // nobody acts on what a crash could take back
    readSync(log, rest, 0, rest.length, end)
    const lines = rest.subarray(0, rest.lastIndexOf('\n') + 1)
    end += lines.length
    const outcomes = lines.toString().split('\n').map(apply)
    return outcomes.find((outcome) => outcome?.nonce === mine)?.done ?? false
  }
  const apply = (line: string): { nonce: string; done: Promise<boolean> } | undefined => {
    if (!/"nonce":"[\w-]{36}"}$/.test(line)) return undefined // empty, or cut off by a crash
    const { nonce, key, seen: expectedVersion, body, ...rest } = JSON.parse(line)
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
    // One call, so that no other process writes in between.
    if (writeSync(log, line) < line.length) throw new Error('the disk is full')
    return readOn(nonce)
  }
  return {
    get: (key) => readOn().then(() => records.get(key)),
    put: (key, { body, ...rest }, expectedVersion) =>
      append({ key, seen: expectedVersion, ...rest, body: Buffer.from(body).toString('base64') }),
    delete: (key, expectedVersion) => append({ key, seen: expectedVersion }),
    list: (collection, page) => readOn().then(() => records.list(collection, page)),
  }
}
