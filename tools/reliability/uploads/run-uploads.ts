/** Runs processes that upload while another one collects garbage, and checks the files afterwards. */

import { setTimeout as sleep } from 'node:timers/promises'
import { createCaller, createVaultService, type VaultService } from 'cofferkit'
import { findEngine } from '../support/stores.js'
import { startWorker, type WorkerProcess } from '../support/worker-process.js'
import type { BrokenVariant } from './broken-variants.js'
import type { CollectReport, CollectRequest } from './collect-process.js'
import type { AcknowledgedFile, UploadReport } from './upload-files.js'
import type { UploadRequest } from './upload-process.js'

/** Options of `runUploads`. */
export interface UploadOptions {
  readonly engine: string
  /** Rounds continue until this many uploads were acknowledged. */
  readonly acknowledged: number
  /** Milliseconds by which the collector's clock is ahead of the clock of the uploads. */
  readonly aheadMs: number
  /** The negative control; absent for the correct protocol. */
  readonly variant?: BrokenVariant
}

/** The findings. */
export interface UploadFindings {
  readonly attempted: number
  readonly acknowledged: number
  /** Uploads that were rejected with 409. */
  readonly rejected: number
  readonly unknown: number
  /** Removed blobs. */
  readonly collected: number
  /** Acknowledged files that are missing, or whose content is not the uploaded one. */
  readonly lost: number
  /** Other files of the items whose content cannot be read. */
  readonly torn: number
  /** Pending-blob records that a last collection has left. */
  readonly pending: number
}

const caller = createCaller({ id: 'checker', vaults: '*' })
const processes = 2
/** Uploads at the same time in each process, 24 in all. */
const concurrency = 12
/** Each round has new items, so that no item becomes large. */
const maxRounds = 1000

/** Resolves when all uploads and collections have ended. */
export async function runUploads(options: UploadOptions): Promise<UploadFindings> {
  const engine = findEngine(options.engine)
  const location = await engine.create()
  const connection = await engine.connect(location.address)
  try {
    const service = createVaultService({ store: connection.store })
    const { id: vaultId } = await service.createVault(caller, { name: 'Uploads' })
    const { reports, collected } = await runProcesses(options, location.address, service, vaultId)
    const files = reports.flatMap((report) => report.files)
    const contents = await readContents(service, vaultId)
    // The first collection records the blobs that it removes, and the second removes the records.
    let last = 0
    for (const factor of [3, 5]) {
      const now = (): Date => new Date(Date.now() + factor * options.aheadMs)
      const later = createVaultService({ store: connection.store, now })
      last += await later.collectGarbage(caller, { vaultId })
    }
    const pending = await connection.store.records.list(`pending-blobs/${vaultId}`, { limit: 1000 })
    const total = (count: (report: UploadReport) => number): number =>
      reports.reduce((sum, report) => sum + count(report), 0)
    return {
      attempted: total((report) => report.attempted),
      acknowledged: files.length,
      rejected: total((report) => report.rejected),
      unknown: total((report) => report.unknown),
      collected: collected + last,
      ...compareFiles(files, contents),
      pending: pending.length,
    }
  } finally {
    await connection.close()
    await location.remove()
  }
}

/** Counts the acknowledged files that are lost, and the other files that cannot be read. */
export function compareFiles(
  files: readonly AcknowledgedFile[],
  contents: ReadonlyMap<string, string | undefined>,
): { readonly lost: number; readonly torn: number } {
  const keys = new Set(files.map(keyOf))
  const lost = files.filter((file) => contents.get(keyOf(file)) !== file.text).length
  const torn = [...contents].filter(([key, text]) => text === undefined && !keys.has(key)).length
  return { lost, torn }
}

/** Each round uploads to one item or, alternately, to six, while garbage is collected. */
async function runProcesses(
  { engine, acknowledged, aheadMs, variant }: UploadOptions,
  address: string,
  service: VaultService,
  vaultId: string,
): Promise<{ reports: UploadReport[]; collected: number }> {
  const common = { engine, address, vaultId, ...(variant && { variant }) }
  const uploaders = Array.from({ length: processes }, () =>
    startWorker<UploadRequest, UploadReport>(new URL('./upload-process.ts', import.meta.url)),
  )
  const collector = startWorker<CollectRequest, CollectReport>(
    new URL('./collect-process.ts', import.meta.url),
  )
  const reports: UploadReport[] = []
  try {
    const collecting = collectRepeatedly(collector, { ...common, aheadMs })
    const count = (): number => reports.reduce((sum, { files }) => sum + files.length, 0)
    try {
      for (let round = 0; count() < acknowledged && round < maxRounds; round++) {
        const itemIds = await createItems(service, vaultId, round % 2 === 0 ? 1 : 6)
        const request = { ...common, itemIds, concurrency }
        reports.push(...(await Promise.all(uploaders.map((child) => child.request(request)))))
      }
    } finally {
      collecting.stop()
    }
    return { reports, collected: await collecting.collected }
  } finally {
    await Promise.all([...uploaders, collector].map((child) => child.end()))
  }
}

/** Collects again and again, with pauses of up to 20 milliseconds, until it is stopped. */
function collectRepeatedly(
  collector: WorkerProcess<CollectRequest, CollectReport>,
  request: CollectRequest,
): { readonly collected: Promise<number>; stop(): void } {
  let isStopped = false
  const run = async (): Promise<number> => {
    let removed = 0
    while (!isStopped) {
      removed += (await collector.request(request)).removed
      await sleep(Math.random() * 20)
    }
    return removed
  }
  const collected = run()
  // A failed collection ends the check after the uploads have ended.
  collected.catch(() => {})
  return {
    collected,
    stop: () => {
      isStopped = true
    },
  }
}

function createItems(service: VaultService, vaultId: string, count: number): Promise<string[]> {
  const item = { category: 'DOCUMENT', vault: { id: vaultId } } as const
  const creations = Array.from({ length: count }, () =>
    service.createItem(caller, { vaultId, item }),
  )
  return Promise.all(creations.map(async (creation) => (await creation).id))
}

/** The content of every file of every item; undefined if it cannot be read. */
async function readContents(
  service: VaultService,
  vaultId: string,
): Promise<ReadonlyMap<string, string | undefined>> {
  const contents = new Map<string, string | undefined>()
  for (const { id: itemId } of await service.listItems(caller, { vaultId })) {
    for (const { id: fileId } of await service.listFiles(caller, { vaultId, itemId })) {
      const content = service.readFileContent(caller, { vaultId, itemId, fileId })
      const text = await content
        .then((file) => new Response(file.content).text())
        .catch(() => undefined)
      contents.set(keyOf({ itemId, fileId }), text)
    }
  }
  return contents
}

function keyOf({ itemId, fileId }: Pick<AcknowledgedFile, 'itemId' | 'fileId'>): string {
  return `${itemId}/${fileId}`
}
