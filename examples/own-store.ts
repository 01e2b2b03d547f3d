/** A store of one's own in a folder of files, and that it keeps every promise of a store. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blobStoreContract, recordStoreContract } from 'cofferkit/testing'
import { openFolderBlobs } from './own-store/folder-blobs.js'
import { openLogRecords } from './own-store/log-records.js'

const folder = await mkdtemp(join(tmpdir(), 'cofferkit-own-store-'))
const emptyFolder = (): Promise<string> => mkdtemp(join(folder, 'case-'))

for (const { run } of recordStoreContract)
  await run(openLogRecords(join(await emptyFolder(), 'log')))
console.log(`records: ${recordStoreContract.length} of ${recordStoreContract.length} promises kept`)

for (const { run } of blobStoreContract) await run(openFolderBlobs(await emptyFolder()))
console.log(`blobs: ${blobStoreContract.length} of ${blobStoreContract.length} promises kept`)

await rm(folder, { recursive: true })
