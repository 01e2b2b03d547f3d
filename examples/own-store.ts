/** Runs the store contract on a custom store in a folder of files. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blobStoreContract, recordStoreContract } from 'cofferkit/testing'
import { openFolderBlobs } from './own-store-blobs.js'
import { openLogRecords } from './own-store-records.js'

const folder = await mkdtemp(join(tmpdir(), 'cofferkit-own-store-'))
const emptyFolder = (): Promise<string> => mkdtemp(join(folder, 'case-'))

for (const { run } of recordStoreContract)
  await run(openLogRecords(join(await emptyFolder(), 'log')))
console.log(
  `records: ${recordStoreContract.length} of ${recordStoreContract.length} cases passed`,
)

for (const { run } of blobStoreContract)
  await run(openFolderBlobs(await emptyFolder()))
console.log(
  `blobs: ${blobStoreContract.length} of ${blobStoreContract.length} cases passed`,
)

await rm(folder, { recursive: true })
