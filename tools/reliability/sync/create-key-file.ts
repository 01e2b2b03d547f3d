/** The traced process: creates a key file, and prints when that is acknowledged. */

import { writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { createKeyFile } from 'cofferkit/encrypted'

const [path = '', form] = process.argv.slice(2)

if (form === 'without the folder') await createWithoutFolder(path)
else await createKeyFile(path)
writeSync(1, '(created)\n')

/** The negative control: syncs the file and not its folder. */
async function createWithoutFolder(path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  await file.writeFile('0'.repeat(64))
  await file.sync()
  await file.close()
}
