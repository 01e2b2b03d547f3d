import { describe, expect, it, vi } from 'vitest'
import { createCaller, createVaultService, type VaultStore } from '../../src/index.js'
import { minNativeLength } from '../../src/storage/encrypted/envelope/cipher.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { readBytes, streamOf } from '../support/bytes.js'
import { measureCpuTime } from '../support/cpu-time.js'
import { encryptStore } from '../support/stores/encrypted-stores.js'

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

  // The cipher in JavaScript takes 30 ms more, each time; on a busy machine one time can be slow.
  it('adds at most 8 ms of CPU to a patch of an item of 1.9 MB, and blocks for at most 30 ms', {
    retry: 2,
  }, async () => {
    const patchPlain = await createPatch(createMemoryStore())
    const patchEncrypted = await createPatch(encryptStore())
    const plain: Cost[] = []
    const encrypted: Cost[] = []
    for (let round = 0; round < 31; round++) {
      plain.push(await measure(patchPlain))
      encrypted.push(await measure(patchEncrypted))
    }
    const more = medianOf(encrypted, 'cpu') - medianOf(plain, 'cpu')
    const block = medianOf(encrypted, 'block')
    const figures = [medianOf(plain, 'cpu'), more, block].map((ms) => ms.toFixed(1)).join(', ')
    process.stdout.write(`ms of CPU of a patch, of encryption, of the longest block: ${figures}\n`)
    expect(more).toBeLessThan(8)
    expect(block).toBeLessThan(30)
  })
})

function countNativeCalls(): number {
  return counting.createCipheriv.mock.calls.length
}

/** Milliseconds of CPU. */
interface Cost {
  readonly cpu: number
  /** The longest work without a turn of the event loop. */
  readonly block: number
}

async function measure(work: () => Promise<unknown>): Promise<Cost> {
  const stop = measureCpuTime()
  let block = 0
  let stopTurn = measureCpuTime()
  const endTurn = (): void => {
    block = Math.max(block, stopTurn())
    stopTurn = measureCpuTime()
    turn = setImmediate(endTurn)
  }
  let turn = setImmediate(endTurn)
  await work()
  clearImmediate(turn)
  return { cpu: stop(), block: Math.max(block, stopTurn()) }
}

/** Returns a patch of 50 bytes. */
async function createPatch(store: VaultStore): Promise<() => Promise<unknown>> {
  const caller = createCaller('user', '*')
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

function medianOf(costs: readonly Cost[], key: keyof Cost): number {
  return costs.map((cost) => cost[key]).sort((one, other) => one - other)[costs.length >> 1] ?? 0
}
