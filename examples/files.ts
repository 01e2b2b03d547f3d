/** Streams a file from disk into a vault, and from the vault back to disk. */

import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import {
  ContentTooLargeError,
  createCaller,
  createVaultService,
} from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'

const folder = await mkdtemp(join(tmpdir(), 'cofferkit-files-'))
await writeFile(join(folder, 'scan.bin'), new Uint8Array(300_000).fill(7))

const caller = createCaller({ id: 'wendy', vaults: '*' })
const service = createVaultService({
  store: createMemoryStore(),
  maxInlineFileSizeKb: 100,
  strict: true,
})
const { id: vaultId } = await service.createVault(caller, { name: 'Papers' })
const draft = {
  category: 'DOCUMENT',
  vault: { id: vaultId },
  title: 'Passport',
} as const
const { id: itemId } = await service.createItem(caller, {
  vaultId,
  item: draft,
})

// Upload: chunk by chunk, never as a whole.
const content = createReadStream(join(folder, 'scan.bin'))
const file = await service.attachFile(caller, {
  vaultId,
  itemId,
  name: 'scan.bin',
  content,
})
console.log('attached:', file.name, file.size, 'bytes')

// Inline content is limited in size; this file is too large.
const ref = { vaultId, itemId, fileId: file.id }
try {
  await service.getFileDetails(caller, { ...ref, inlineFiles: true })
} catch (error) {
  if (!(error instanceof ContentTooLargeError)) throw error
  console.log('inline:', error.status, error.code)
}

// Download: chunk by chunk again.
const found = await service.readFileContent(caller, ref)
await pipeline(found.content, createWriteStream(join(folder, 'copy.bin')))
const original = await readFile(join(folder, 'scan.bin'))
const copy = await readFile(join(folder, 'copy.bin'))
console.log(
  'read back:',
  copy.length,
  'bytes,',
  copy.equals(original) ? 'the same' : 'not the same',
)
await rm(folder, { recursive: true })
