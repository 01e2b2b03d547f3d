/** Part 8: what encryption adds to a write and a read, beside opening and sealing the same bytes. */

import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'
import { body, collection, idOf, label } from './stores/rows.mjs'
import { fixed, median, printTable, verdict } from './table.mjs'

const goal = 1.15
const count = 4000

export async function benchEncryption({ builds: [{ url }], rounds = 15 }) {
  const { createMemoryStore } = await import(`${url}/memory.js`)
  const { createEncryptedStore, createLocalKeyProvider } = await import(`${url}/encrypted.js`)
  const key = crypto.getRandomValues(new Uint8Array(32))
  const keys = createLocalKeyProvider({ key })
  const tasks = {
    'open + seal': cipherTask(key),
    'memory store': storeTask(createMemoryStore()),
    'encrypted memory store': storeTask(createEncryptedStore(createMemoryStore(), { keys })),
  }
  const costs = Object.fromEntries(Object.keys(tasks).map((name) => [name, []]))
  for (let round = -2; round < rounds; round++) {
    for (const [name, task] of Object.entries(tasks)) {
      const before = process.cpuUsage()
      for (let index = 0; index < count; index++) await task(index)
      const { user, system } = process.cpuUsage(before)
      if (round >= 0) costs[name].push((user + system) / count)
    }
  }
  const cipher = costs['open + seal']
  const plain = costs['memory store']
  const added = costs['encrypted memory store'].map((cost, round) => cost - plain[round])
  const ratio = median(added.map((cost, round) => cost / cipher[round]))
  const rows = Object.entries(costs).map(([name, found]) => [
    name,
    fixed(median(found), 1),
    '',
    '',
    '',
  ])
  rows.push([
    'added by encryption',
    fixed(median(added), 1),
    fixed(ratio),
    `<= ${goal}`,
    verdict(ratio, goal),
  ])
  printTable('Encryption, CPU µs of a get and a put of an item’s record', [
    ['', 'µs', '÷ open + seal', 'goal', ''],
    ...rows,
  ])
}

/** The same cipher over the same bytes, with a nonce and additional data as long as the store's. */
function cipherTask(key) {
  const context = new Uint8Array(120)
  const nonce = new Uint8Array(24)
  const plain = body()
  const sealed = xchacha20poly1305(key, nonce, context).encrypt(plain)
  return async () => {
    xchacha20poly1305(key, nonce, context).decrypt(sealed)
    crypto.getRandomValues(nonce.slice())
    xchacha20poly1305(key, nonce, context).encrypt(plain)
  }
}

function storeTask({ records }) {
  const versions = new Map()
  const bytes = body()
  return async (index) => {
    const id = idOf(index % 512)
    const key = { collection, id }
    await records.get(key)
    const seen = versions.get(id) ?? 0
    if (!(await records.put(key, { body: bytes, label }, seen))) throw new Error('lost a race')
    versions.set(id, seen + 1)
  }
}
