/** The contents of the demo's vault, created on the first run and found again later. */

import {
  type Caller,
  type ItemDraft,
  isVaultError,
  type VaultService,
} from 'cofferkit'

/** The ids of the contents. */
export interface Contents {
  readonly vaultId: string
  /** A login. */
  readonly itemId: string
  /** A document with two files. */
  readonly documentId: string
  /** An item that can be deleted. */
  readonly spareId: string
  /** A vault that can be deleted. */
  readonly spareVaultId: string
  /** A file that is small enough to be inlined in a response. */
  readonly smallFileId: string
  /** A file that is too large for that. */
  readonly largeFileId: string
  /** A file that can be removed. */
  readonly spareFileId: string
}

const vaultId = 'demo'.padEnd(26, '0')
const spareVaultId = 'spare'.padEnd(26, '0')
const smallFile = new TextEncoder().encode('7391-2046\n5580-1127\n')
const largeFile = new Uint8Array(200 * 1024)

/** Finds the contents of an earlier run, and creates those that do not exist. */
export async function findContents(
  service: VaultService,
  caller: Caller,
): Promise<Contents> {
  await unlessConflict(service.createVault(caller, { name: 'Demo', vaultId }))
  await unlessConflict(
    service.createVault(caller, { name: 'Spare', vaultId: spareVaultId }),
  )
  const titles = new Map<string | undefined, string>()
  for (const { id, title } of await service.listItems(caller, { vaultId }))
    titles.set(title, id)

  const item = async (draft: Omit<ItemDraft, 'vault'>): Promise<string> => {
    const known = titles.get(draft.title)
    if (known !== undefined) return known
    return (await service.createItem(caller, { vaultId, item: draft })).id
  }
  const itemId = await item({
    category: 'LOGIN',
    title: 'Mail',
    fields: loginFields,
  })
  const spareId = await item({
    category: 'SECURE_NOTE',
    title: 'To be deleted',
  })
  const documentId = await item({ category: 'DOCUMENT', title: 'Papers' })

  const { files } = await service.getItem(caller, {
    vaultId,
    itemId: documentId,
  })
  const file = async (name: string, content: Uint8Array): Promise<string> => {
    const known = files.find((candidate) => candidate.name === name)
    const ref = { vaultId, itemId: documentId, name, content }
    return (known ?? (await service.attachFile(caller, ref))).id
  }
  const smallFileId = await file('recovery-codes.txt', smallFile)
  const largeFileId = await file('passport.bin', largeFile)
  const spareFileId = await file('to-be-removed.txt', smallFile)
  return {
    vaultId,
    itemId,
    documentId,
    spareId,
    spareVaultId,
    smallFileId,
    largeFileId,
    spareFileId,
  }
}

const loginFields: NonNullable<ItemDraft['fields']> = [
  { id: 'username', purpose: 'USERNAME', value: 'wendy' },
  { id: 'password', type: 'CONCEALED', purpose: 'PASSWORD', generate: true },
]

async function unlessConflict(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isVaultError(error) || error.status !== 409) throw error
  })
}
