/** Sends a large file through a vault and back, and watches the memory of the process. */

import { createHash, type Hash, randomBytes } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createCaller, createVaultService, type VaultStore } from 'cofferkit'

/** What was seen. */
export interface StreamResult {
  /** Whether what came back is what went in, byte for byte. */
  readonly isWhole: boolean
  readonly seconds: number
  /** Bytes of resident memory, at most, above those before. */
  readonly growth: number
}

const caller = createCaller('prover', '*')
setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
const pieceLength = 65_536
// Its length is no multiple of a piece's: a file of less than 4 GB repeats no piece.
const pool = randomBytes(4_194_301)

/**
 * Attaches a file of so many bytes to a new item and reads it back, as streams. Garbage is counted as well, or
 * collected every 8 MB, so that only what is held is counted.
 */
export async function streamFile(
  store: VaultStore,
  size: number,
  garbage: 'counted' | 'collected',
): Promise<StreamResult> {
  const service = createVaultService({ store })
  const { id: vaultId } = await service.createVault(caller, { name: 'Files' })
  const item = { category: 'DOCUMENT' as const, vault: { id: vaultId } }
  const { id: itemId } = await service.createItem(caller, { vaultId, item })
  const [went, came] = [createHash('sha256'), createHash('sha256')]
  const memory = watchMemory(garbage)
  const began = performance.now()
  const file = { vaultId, itemId, name: 'large', content: contentOf(size, went, memory.passed) }
  const { id: fileId } = await service.attachFile(caller, file)
  const { content } = await service.readFileContent(caller, { vaultId, itemId, fileId })
  for await (const piece of content) {
    came.update(piece)
    memory.passed(piece.length)
  }
  const seconds = (performance.now() - began) / 1000
  return { isWhole: went.digest('hex') === came.digest('hex'), seconds, growth: memory.growth() }
}

/** Views of the same random bytes, each from another place on, so that the source makes no garbage of its own. */
function contentOf(
  size: number,
  hash: Hash,
  passed: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream(
    {
      pull(controller) {
        if (at === size) return controller.close()
        const start = at % (pool.length - pieceLength)
        const piece = pool.subarray(start, start + Math.min(pieceLength, size - at))
        hash.update(piece)
        at += piece.length
        passed(piece.length)
        controller.enqueue(piece)
      },
    },
    { highWaterMark: 0 },
  )
}

interface Memory {
  /** Told of every piece on its way in and out. */
  passed(bytes: number): void
  growth(): number
}

function watchMemory(garbage: 'counted' | 'collected'): Memory {
  collectGarbage()
  const before = process.memoryUsage.rss()
  let most = before
  let sinceCollected = 0
  const look = (): void => {
    most = Math.max(most, process.memoryUsage.rss())
  }
  const timer = setInterval(look, 2)
  return {
    passed(bytes) {
      look()
      sinceCollected += bytes
      if (garbage === 'counted' || sinceCollected < 2_097_152) return
      collectGarbage()
      sinceCollected = 0
    },
    growth() {
      clearInterval(timer)
      look()
      return most - before
    },
  }
}
