/** Uploads small files, many at a time, and reports what was acknowledged. */

import { createCaller, createVaultService, isVaultError, type VaultStore } from 'cofferkit'

/** The share of one process in a round. */
export interface UploadShare {
  readonly vaultId: string
  /** Uploads are distributed over these items. */
  readonly itemIds: readonly string[]
  /** Number of uploads, which all run at the same time. */
  readonly concurrency: number
}

/** A file whose upload was acknowledged. */
export interface AcknowledgedFile {
  readonly itemId: string
  readonly fileId: string
  readonly text: string
}

/** The results of the uploads. */
export interface UploadReport {
  readonly attempted: number
  readonly files: readonly AcknowledgedFile[]
  /** Uploads that were rejected with 409. */
  readonly rejected: number
  /** Uploads with an unknown outcome, because the store failed. */
  readonly unknown: number
}

/** Resolves when every upload has ended. @throws the error of an upload that is no 409 and no 5xx. */
export async function uploadFiles(
  store: VaultStore,
  { vaultId, itemIds, concurrency }: UploadShare,
): Promise<UploadReport> {
  const service = createVaultService({ store })
  const caller = createCaller({ id: 'uploader', vaults: '*' })
  const files: AcknowledgedFile[] = []
  let [rejected, unknown] = [0, 0]
  const upload = async (itemId: string): Promise<void> => {
    const text = crypto.randomUUID()
    const content = new Blob([text]).stream()
    try {
      const { id } = await service.attachFile(caller, { vaultId, itemId, name: 'file', content })
      files.push({ itemId, fileId: id, text })
    } catch (error) {
      if (!isVaultError(error)) throw error
      if (error.status >= 500) unknown++
      else if (error.status === 409) rejected++
      else throw error
    }
  }
  const targets = Array.from(
    { length: concurrency },
    (_, index) => itemIds[index % itemIds.length] ?? '',
  )
  await Promise.all(targets.map(upload))
  return { attempted: concurrency, files, rejected, unknown }
}
