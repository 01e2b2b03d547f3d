/** Uploads small files, many at a time, and writes down what was acknowledged. */

import { createCaller, createVaultService, isVaultError, type VaultStore } from 'cofferkit'

/** The share of one process in a round. */
export interface UploadShare {
  readonly vaultId: string
  /** Uploads go to these in turn, all at a time. */
  readonly itemIds: readonly string[]
  /** How many uploads run at a time. */
  readonly atOnce: number
}

/** A file whose upload was acknowledged. */
export interface AcknowledgedFile {
  readonly itemId: string
  readonly fileId: string
  readonly text: string
}

/** What the uploads were told. */
export interface UploadReport {
  readonly attempted: number
  readonly files: readonly AcknowledgedFile[]
  /** With 409. */
  readonly rejected: number
  /** Uploads of which nobody knows, because the store failed. */
  readonly unknown: number
}

/** Resolves when every upload has ended. @throws whatever an upload is rejected with besides 409. */
export async function uploadFiles(
  store: VaultStore,
  { vaultId, itemIds, atOnce }: UploadShare,
): Promise<UploadReport> {
  const service = createVaultService({ store })
  const caller = createCaller('uploader', '*')
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
    { length: atOnce },
    (_, index) => itemIds[index % itemIds.length] ?? '',
  )
  await Promise.all(targets.map(upload))
  return { attempted: atOnce, files, rejected, unknown }
}
