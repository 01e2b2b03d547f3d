/** A process that seals and opens a value: by cofferkit, or with `node:crypto` by hand. */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { handleRequests } from '../child-process.js'
import { loadBuild } from '../load-build.js'

/** The requests to this process. */
export type SealRequests = {
  /** Resolves with the CPU microseconds of one value of this length, sealed and opened. */
  readonly measure: (slice: { readonly length: number; readonly count: number }) => number
}

const [, , buildUrl] = process.argv
const sealAndOpen = buildUrl ? await createCofferkit(buildUrl) : createByHand()

handleRequests<SealRequests>({
  measure({ length, count }) {
    const value = 'k'.repeat(length)
    if (sealAndOpen(value) !== value) throw new Error('the value that was opened is another one')
    const start = process.cpuUsage()
    for (let call = 0; call < count; call++) sealAndOpen(value)
    const { user, system } = process.cpuUsage(start)
    return (user + system) / count
  },
})

async function createCofferkit(url: string): Promise<(value: string) => string> {
  const { seal, encrypted, memory } = loadBuild(url)
  const keys = (await encrypted()).createLocalKeyProvider({ key: randomBytes(32) })
  const { records } = (await memory()).createMemoryStore()
  const box = await (await seal()).createSealer(records, { keys }).box('tenant-1')
  const place = ['integrations', 'token', 'b7e6c1de-4f0a-4f8e-9f0e-3f6f3c1b2a10'] as const
  return (value) => box.open(place, box.seal(place, value))
}

function createByHand(): (value: string) => string {
  const key = randomBytes(32)
  return (value) => decrypt(key, encrypt(key, value))
}

function encrypt(key: Uint8Array, value: string): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const ciphertext = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()])
  return [iv, ciphertext, cipher.getAuthTag()].map((part) => part.toString('hex')).join(':')
}

function decrypt(key: Uint8Array, text: string): string {
  const [iv, ciphertext, tag] = text.split(':').map((part) => Buffer.from(part, 'hex')) as [
    Buffer,
    Buffer,
    Buffer,
  ]
  const decipher = createDecipheriv('aes-256-gcm', key, iv)
  decipher.setAuthTag(tag)
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8')
}
