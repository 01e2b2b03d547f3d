/** A folder with a store that a command has filled. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { databaseSeed } from './database-seed.js'
import { runCommand, withFolder } from './run-command.js'

const seed = databaseSeed('s3cret', [{ name: 'ca.pem', content: 's3cret-file' }])

/** Runs a command, which must not print a stack. */
type Run = (...parameters: readonly string[]) => ReturnType<typeof runCommand>

/** Calls `work` with a function that runs commands in a folder with a filled store. */
export async function withStore(work: (run: Run, folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const run: Run = async (...parameters) => {
      const result = await runCommand({ folder }, ...parameters)
      expect(result.stderr).not.toMatch(/^ +at /m)
      return result
    }
    writeFileSync(join(folder, 'seed.json'), JSON.stringify(seed))
    await run('seed', 'seed.json')
    await work(run, folder)
  })
}
