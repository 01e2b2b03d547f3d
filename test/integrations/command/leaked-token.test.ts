import { join } from 'node:path'
import { createStoredActivityLog } from 'cofferkit/activity'
import { openSqliteStore } from 'cofferkit/sqlite'
import { describe, expect, it } from 'vitest'
import { createEntry } from '../../support/service/activity-entries.js'
import { runCommand, withFolder } from '../support/command/run-command.js'

const entryCount = 100_000
const leakedEvery = 1000
/** Entries that are stored at the same time share a commit. */
const batchSize = 5000

describe('a leaked token', () => {
  it(
    'is traced and revoked, and what it did is listed from a log of 100,000 entries',
    () =>
      withFolder(async (folder) => {
        const tokens = ['token', '--tokens', 'tokens.json']
        const added = await runCommand({ folder }, ...tokens, '--add', 'leaky', '--vault', '*')
        await fillLog(join(folder, 'cofferkit.db'))
        const input = added.stdout
        const revoked = await runCommand({ folder, input }, ...tokens, '--revoke', '-')
        const [, id = ''] = /^Revoked (\S+) /.exec(revoked.stdout) ?? []
        expect(id).toBe('leaky')
        const startedAt = performance.now()
        const flags = ['--caller', id, '--since', '7d', '--limit', 'all']
        const { stdout, code } = await runCommand({ folder }, 'activity', ...flags)
        const seconds = (performance.now() - startedAt) / 1000
        process.stdout.write(
          `activity --caller --since, ${entryCount} entries: ${seconds.toFixed(1)} s\n`,
        )
        expect(code).toBe(0)
        const lines = stdout.trimEnd().split('\n')
        expect(lines).toHaveLength(entryCount / leakedEvery)
        expect(lines.every((line) => / SUCCESS \w+ caller=leaky /.test(`${line} `))).toBe(true)
      }),
    300_000,
  )
})

/** Stores the entries of the last days, of which the leaked token has made one in a thousand. */
async function fillLog(path: string): Promise<void> {
  const store = await openSqliteStore(path)
  const log = createStoredActivityLog(store)
  const now = Date.now()
  for (let start = 0; start < entryCount; start += batchSize)
    await Promise.all(
      Array.from({ length: batchSize }, (_, offset) => {
        const index = start + offset
        const entry = createEntry(index % leakedEvery === 0 ? 'leaky' : 'app', index)
        const timestamp = new Date(now - (entryCount - index) * 1000).toISOString()
        return log.record({ ...entry, timestamp })
      }),
    )
  await store.close()
}
