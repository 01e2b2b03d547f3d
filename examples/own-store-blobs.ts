/** A blob store in a folder, with one file for each blob. */

import { createHash } from 'node:crypto'
import { fsyncSync, openSync } from 'node:fs'
import { link, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobStore } from 'cofferkit'

/**
 * A blob store in an existing folder. A blob gets its name once it is complete and on disk. The
 * name is a link, which never replaces an existing file.
 */
export function openFolderBlobs(folder: string): BlobStore {
  const directory = openSync(folder, 'r')
  const fileOf = (id: string): string =>
    join(folder, createHash('sha256').update(id).digest('hex'))
  return {
    async read(id) {
      const file = await open(fileOf(id)).catch(ifMissing)
      return file?.createReadStream()
    },
    async write(id, content) {
      const file = await open(`${fileOf(id)}.part`, 'wx', 0o600)
      try {
        await file.writeFile(content)
        await file.sync()
        await link(`${fileOf(id)}.part`, fileOf(id))
        fsyncSync(directory)
      } finally {
        await file.close()
        await rm(`${fileOf(id)}.part`, { force: true })
      }
    },
    async delete(id) {
      await rm(fileOf(id), { force: true })
      await rm(`${fileOf(id)}.part`, { force: true })
    },
  }
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
