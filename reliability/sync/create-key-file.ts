/** A process that is watched: it creates a key file, and says on its standard output when that is done. */

import { writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { createKeyFile } from 'cofferkit/encrypted'

const [path = '', form] = process.argv.slice(2)

if (form === 'without the folder') await createWithoutFolder(path)
else await createKeyFile(path)
writeSync(1, '(created)\n')

/** The broken variant: a file that is synced, in a folder that is not. */
async function createWithoutFolder(path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  await file.writeFile('0'.repeat(64))
  await file.sync()
  await file.close()
}
