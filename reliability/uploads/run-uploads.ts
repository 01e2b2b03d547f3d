/** Lets processes upload while another sweeps by a clock that is ahead, and looks at what became of the files. */

import { setTimeout as pause } from 'node:timers/promises'
import { createCaller, createVaultService, type VaultService } from 'cofferkit'
import { type Child, startChild } from '../support/children.js'
import { engineOf } from '../support/stores.js'
import type { Twin } from './broken-variants.js'
import type { SweepQuestion, SweepReport } from './sweep-process.js'
import type { AcknowledgedFile, UploadReport } from './upload-files.js'
import type { UploadQuestion } from './upload-process.js'

/** How it is held. */
export interface UploadPlan {
  readonly engine: string
  /** Rounds are held until so many uploads were acknowledged. */
  readonly acknowledged: number
  /** Milliseconds by which the sweeper's clock is ahead of that of the uploads. */
  readonly ahead: number
  /** Which half of the protocol is missing; none if absent. */
  readonly twin?: Twin
}

/** What was seen. */
export interface UploadFindings {
  readonly attempted: number
  readonly acknowledged: number
  readonly refused: number
  readonly unknown: number
  /** Contents that were swept. */
  readonly swept: number
  /** Acknowledged files that are not there, or whose content is not what was uploaded. */
  readonly lost: number
  /** Other files of the items whose content cannot be read. */
  readonly torn: number
  /** Records of what is pending that a last sweep has left. */
  readonly pending: number
}

const caller = createCaller('proof', '*')
const processes = 2
/** In each process: 24 at a time together. */
const atOnce = 12
/** Each round has new items, so that none becomes large. */
const mostRounds = 1000

/** Resolves with what was seen when all is over. */
export async function holdUploads(plan: UploadPlan): Promise<UploadFindings> {
  const engine = engineOf(plan.engine)
  const ref = await engine.create()
  const connection = await engine.connect(ref.address)
  try {
    const service = createVaultService({ store: connection.store })
    const { id: vaultId } = await service.createVault(caller, { name: 'Uploads' })
    const { reports, swept } = await runProcesses(plan, ref.address, service, vaultId)
    const files = reports.flatMap((report) => report.files)
    const found = await contentsOf(service, vaultId)
    // What the first of the last sweeps removes it notes for the second.
    let rest = 0
    for (const hours of [3, 5]) {
      const later = (): Date => new Date(Date.now() + hours * plan.ahead)
      const last = createVaultService({ store: connection.store, now: later })
      rest += await last.collectGarbage(caller, { vaultId })
    }
    const pending = await connection.store.records.list(`pending-blobs/${vaultId}`, { limit: 1000 })
    const total = (count: (report: UploadReport) => number): number =>
      reports.reduce((sum, report) => sum + count(report), 0)
    return {
      attempted: total((report) => report.attempted),
      acknowledged: files.length,
      refused: total((report) => report.refused),
      unknown: total((report) => report.unknown),
      swept: swept + rest,
      ...compareFiles(files, found),
      pending: pending.length,
    }
  } finally {
    await connection.close()
    await ref.remove()
  }
}

/** How many of the acknowledged files are lost, and how many others cannot be read. */
export function compareFiles(
  files: readonly AcknowledgedFile[],
  found: ReadonlyMap<string, string | undefined>,
): { readonly lost: number; readonly torn: number } {
  const keys = new Set(files.map(keyOf))
  const lost = files.filter((file) => found.get(keyOf(file)) !== file.text).length
  const torn = [...found].filter(([key, text]) => text === undefined && !keys.has(key)).length
  return { lost, torn }
}

/** Uploads to one item, then to several, in every round; sweeps all the while. */
async function runProcesses(
  { engine, acknowledged, ahead, twin }: UploadPlan,
  address: string,
  service: VaultService,
  vaultId: string,
): Promise<{ reports: UploadReport[]; swept: number }> {
  const common = { engine, address, vaultId, ...(twin && { twin }) }
  const uploaders = Array.from({ length: processes }, () =>
    startChild<UploadQuestion, UploadReport>(new URL('./upload-process.ts', import.meta.url)),
  )
  const sweeper = startChild<SweepQuestion, SweepReport>(
    new URL('./sweep-process.ts', import.meta.url),
  )
  const reports: UploadReport[] = []
  try {
    const sweeping = keepSweeping(sweeper, { ...common, ahead })
    const count = (): number => reports.reduce((sum, { files }) => sum + files.length, 0)
    try {
      for (let round = 0; count() < acknowledged && round < mostRounds; round++) {
        const itemIds = await createItems(service, vaultId, round % 2 === 0 ? 1 : 6)
        const questions = uploaders.map((child) => child.ask({ ...common, itemIds, atOnce }))
        reports.push(...(await Promise.all(questions)))
      }
    } finally {
      sweeping.stop()
    }
    return { reports, swept: await sweeping.swept }
  } finally {
    await Promise.all([...uploaders, sweeper].map((child) => child.end()))
  }
}

/** Sweeps again and again, with pauses of up to 20 milliseconds, until it is stopped. */
function keepSweeping(
  sweeper: Child<SweepQuestion, SweepReport>,
  question: SweepQuestion,
): { readonly swept: Promise<number>; stop(): void } {
  let isOver = false
  const sweep = async (): Promise<number> => {
    let swept = 0
    while (!isOver) {
      swept += (await sweeper.ask(question)).removed
      await pause(Math.random() * 20)
    }
    return swept
  }
  const swept = sweep()
  // A sweep that fails ends the proof when the uploads have ended.
  swept.catch(() => {})
  return {
    swept,
    stop: () => {
      isOver = true
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

/** The content of every file of every item; undefined where it cannot be read. */
async function contentsOf(
  service: VaultService,
  vaultId: string,
): Promise<ReadonlyMap<string, string | undefined>> {
  const found = new Map<string, string | undefined>()
  for (const { id: itemId } of await service.listItems(caller, { vaultId })) {
    for (const { id: fileId } of await service.listFiles(caller, { vaultId, itemId })) {
      const content = service.readFileContent(caller, { vaultId, itemId, fileId })
      const text = await content
        .then((file) => new Response(file.content).text())
        .catch(() => undefined)
      found.set(keyOf({ itemId, fileId }), text)
    }
  }
  return found
}

function keyOf({ itemId, fileId }: Pick<AcknowledgedFile, 'itemId' | 'fileId'>): string {
  return `${itemId}/${fileId}`
}
