/** Sealing and opening a value, beside AES-256-GCM by hand with `node:crypto`, and that beside itself. */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { loadBuild } from './load-build.js'
import { median } from './measure.js'
import type { BenchOptions } from './run.js'
import { fixed, type Table } from './table.js'

const lengths = [40, 2000]
const count = 3000

/** Measures the first build, in this process. */
export async function benchSeal({ builds, rounds = 15 }: BenchOptions): Promise<readonly Table[]> {
  const { seal, encrypted, memory } = loadBuild(builds[0].url)
  const keys = (await encrypted()).createLocalKeyProvider({ key: randomBytes(32) })
  const { records } = (await memory()).createMemoryStore()
  const box = await (await seal()).createSealer(records, { keys }).box('tenant-1')
  const place = ['integrations', 'token', 'b7e6c1de-4f0a-4f8e-9f0e-3f6f3c1b2a10'] as const
  const key = randomBytes(32)
  const rows = lengths.map((length) => {
    const value = 'k'.repeat(length)
    const contenders = {
      cofferkit: () => box.open(place, box.seal(place, value)),
      byHand: () => decrypt(key, encrypt(key, value)),
      control: () => decrypt(key, encrypt(key, value)),
    }
    const costs = { cofferkit: [] as number[], byHand: [] as number[], control: [] as number[] }
    for (let round = -3; round < rounds; round++)
      for (const [name, run] of Object.entries(contenders)) {
        const cost = measure(run)
        if (round >= 0) costs[name as keyof typeof costs].push(cost)
      }
    const byHand = median(costs.byHand)
    return [
      `${length} characters`,
      fixed(median(costs.cofferkit), 1),
      fixed(byHand, 1),
      fixed(median(costs.cofferkit) / byHand),
      fixed(median(costs.control) / byHand),
    ]
  })
  const head = ['', 'cofferkit', 'by hand', 'cofferkit ÷ by hand', 'by hand ÷ by hand']
  return [{ id: 'seal', title: 'CPU µs to seal and open a value', rows: [head, ...rows] }]
}

/** Returns the microseconds of CPU of one call. */
function measure(run: () => unknown): number {
  const start = process.cpuUsage()
  for (let call = 0; call < count; call++) run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / count
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
