import { describe, expect, it, vi } from 'vitest'
import { createCaller, createVaultService, type VaultStore } from '../../src/index.js'
import { minNativeLength } from '../../src/storage/encrypted/envelope/cipher.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { readBytes, streamOf } from '../support/bytes.js'
import { measureCpuTime } from '../support/cpu-time.js'

type Module = typeof import('../../src/storage/encrypted.js')

/** Returns another copy of the module, whose runtime has this `node:crypto`. */
async function loadCopy(crypto: object | undefined): Promise<Module> {
  const getBuiltinModule = vi.spyOn(process, 'getBuiltinModule')
  getBuiltinModule.mockImplementation(() => crypto)
  try {
    vi.resetModules()
    const copy: Module = await import('../../src/storage/encrypted.js')
    // The first large content loads the cipher.
    const { records } = openStore(copy, createMemoryStore())
    await records.put({ collection: 'c', id: 'a' }, { body: new Uint8Array(minNativeLength) }, 0)
    return copy
  } finally {
    getBuiltinModule.mockRestore()
    // Other test files must not get this copy.
    vi.resetModules()
  }
}

function openStore(
  { createEncryptedStore, createLocalKeyProvider }: Module,
  inner: VaultStore,
): VaultStore {
  return createEncryptedStore(inner, {
    keys: createLocalKeyProvider({ key: new Uint8Array(32).fill(7) }),
  })
}

const crypto = process.getBuiltinModule('node:crypto')
const counting = {
  createCipheriv: vi.fn(crypto.createCipheriv),
  createDecipheriv: vi.fn(crypto.createDecipheriv),
}
const native = await loadCopy(counting)
const portable = await loadCopy(undefined)

describe('createEncryptedStore', () => {
  it('looks for the cipher of the runtime once, also when it does not exist', async () => {
    const getBuiltinModule = vi.spyOn(process, 'getBuiltinModule')
    for (const copy of [native, portable]) {
      const { records } = openStore(copy, createMemoryStore())
      await records.put({ collection: 'c', id: 'a' }, { body: new Uint8Array(minNativeLength) }, 0)
    }
    expect(getBuiltinModule).not.toHaveBeenCalled()
    getBuiltinModule.mockRestore()
  })

  it.each([
    { name: 'in JavaScript', writer: native, reader: portable },
    { name: 'of the runtime', writer: portable, reader: native },
  ])('reads with the cipher $name what the other one has written', async ({ writer, reader }) => {
    const inner = createMemoryStore()
    const [written, opened] = [openStore(writer, inner), openStore(reader, inner)]
    const sizes = [0, minNativeLength - 1, minNativeLength, 65_535, 65_536, 65_537, 200_000]
    for (const size of sizes) {
      const key = { collection: 'items/v', id: `${size}` }
      const body = Uint8Array.from({ length: size }, (_, index) => index * 7)
      const calls = countNativeCalls()
      await written.records.put(key, { body, indexKey: 'title' }, 0)
      await written.blobs.write(`v/${size}`, size % 2 ? body : streamOf([body]))
      expect(countNativeCalls() > calls).toBe(writer === native && size >= minNativeLength)
      const record = await opened.records.get(key)
      expect(Buffer.compare(record?.body ?? new Uint8Array(1), body)).toBe(0)
      const content = await readBytes((await opened.blobs.read(`v/${size}`)) ?? streamOf([]))
      expect(Buffer.compare(content, body)).toBe(0)
      // A change by the reader is read by the writer.
      expect(await opened.records.put(key, { body, indexKey: 'title' }, 1)).toBe(true)
      expect((await written.records.get(key))?.version).toBe(2)
    }
  })

  it('adds less than half of the CPU time that the cipher in JavaScript adds to a patch of 1.9 MB', async () => {
    const inner = [native, portable].map((copy) => openStore(copy, createMemoryStore()))
    const patches = await Promise.all([createMemoryStore(), ...inner].map(createPatch))
    const costs = patches.map((): number[] => [])
    // In turns, so that a busy machine affects all of them.
    for (let round = 0; round < 15; round++)
      for (const [index, patch] of patches.entries()) costs[index]?.push(await measure(patch))
    const [plain = 0, fast = 0, slow = 0] = costs.map(medianOf)
    const figures = [plain, fast - plain, slow - plain].map((ms) => ms.toFixed(1)).join(', ')
    process.stdout.write(`ms of CPU of a patch, of encryption, in JavaScript: ${figures}\n`)
    expect(fast - plain).toBeLessThan((slow - plain) / 2)
  })
})

function countNativeCalls(): number {
  return counting.createCipheriv.mock.calls.length
}

/** Returns the milliseconds of CPU that the work takes. */
async function measure(work: () => Promise<unknown>): Promise<number> {
  const stop = measureCpuTime()
  await work()
  return stop()
}

/** Returns a patch of 50 bytes. */
async function createPatch(store: VaultStore): Promise<() => Promise<unknown>> {
  const caller = createCaller({ id: 'user', vaults: '*' })
  const service = createVaultService({ store })
  const { id: vaultId } = await service.createVault(caller, { name: 'v' })
  const fields = Array.from({ length: 32 }, (_, index) => {
    return { id: `f${index}`, value: 'x'.repeat(59_000) }
  })
  const item = { category: 'LOGIN', title: 'first', fields } as const
  const { id: itemId } = await service.createItem(caller, { vaultId, item })
  const patch = [{ op: 'replace', path: '/title', value: 'changed' }] as const
  return () => service.patchItem(caller, { vaultId, itemId, patch })
}

function medianOf(costs: readonly number[]): number {
  return costs.toSorted((one, other) => one - other)[costs.length >> 1] ?? 0
}
