/** Streams a large file into a vault and back, and measures the memory of the process. */

import { createHash, type Hash, randomBytes } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createCaller, createVaultService, type VaultStore } from 'cofferkit'

/** The result of `streamFile`. */
export interface StreamResult {
  /** True if the file that was read is the file that was attached, byte for byte. */
  readonly isIntact: boolean
  readonly seconds: number
  /** The most resident memory, in bytes, on top of the memory before. */
  readonly growth: number
}

/** Garbage counts as memory, or is collected every 2 MiB, so that only live memory counts. */
export type GarbageMode = 'counted' | 'collected'

const caller = createCaller({ id: 'checker', vaults: '*' })
setFlagsFromString('--expose-gc')
const runGarbageCollector: () => void = runInNewContext('gc')
const bytesPerCollection = 2_097_152
const chunkBytes = 65_536
// The length is not a multiple of a chunk's, so a file of less than 4 GB repeats no chunk.
const pool = randomBytes(4_194_301)

/** Attaches a file of `size` bytes to a new item and reads it back, both as streams. */
export async function streamFile(
  store: VaultStore,
  size: number,
  garbage: GarbageMode,
): Promise<StreamResult> {
  const service = createVaultService({ store })
  const { id: vaultId } = await service.createVault(caller, { name: 'Files' })
  const item = { category: 'DOCUMENT' as const, vault: { id: vaultId } }
  const { id: itemId } = await service.createItem(caller, { vaultId, item })
  const [sent, received] = [createHash('sha256'), createHash('sha256')]
  const memory = watchMemory(garbage)
  const start = performance.now()
  const file = {
    vaultId,
    itemId,
    name: 'large',
    content: createContent(size, sent, memory.onChunk),
  }
  const { id: fileId } = await service.attachFile(caller, file)
  const { content } = await service.readFileContent(caller, { vaultId, itemId, fileId })
  for await (const chunk of content) {
    received.update(chunk)
    memory.onChunk(chunk.length)
  }
  const seconds = (performance.now() - start) / 1000
  const isIntact = sent.digest('hex') === received.digest('hex')
  return { isIntact, seconds, growth: memory.stop() }
}

/** Streams views of the same random bytes, each from another offset, so that it makes no garbage. */
function createContent(
  size: number,
  hash: Hash,
  onChunk: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  let offset = 0
  return new ReadableStream(
    {
      pull(controller) {
        if (offset === size) return controller.close()
        const start = offset % (pool.length - chunkBytes)
        const chunk = pool.subarray(start, start + Math.min(chunkBytes, size - offset))
        hash.update(chunk)
        offset += chunk.length
        onChunk(chunk.length)
        controller.enqueue(chunk)
      },
    },
    { highWaterMark: 0 },
  )
}

interface MemoryWatch {
  /** Must be called for every chunk on its way in and out. */
  onChunk(bytes: number): void
  /** Ends the measurement and returns the growth in bytes. */
  stop(): number
}

function watchMemory(garbage: GarbageMode): MemoryWatch {
  runGarbageCollector()
  const before = process.memoryUsage.rss()
  let most = before
  let sinceCollection = 0
  const sample = (): void => {
    most = Math.max(most, process.memoryUsage.rss())
  }
  const timer = setInterval(sample, 2)
  return {
    onChunk(bytes) {
      sample()
      sinceCollection += bytes
      if (garbage === 'counted' || sinceCollection < bytesPerCollection) return
      runGarbageCollector()
      sinceCollection = 0
    },
    stop() {
      clearInterval(timer)
      sample()
      return most - before
    },
  }
}
