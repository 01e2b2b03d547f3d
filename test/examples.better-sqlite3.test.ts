import Database from 'better-sqlite3'
import { expect, it, vi } from 'vitest'

vi.mock('node:sqlite', () => ({ DatabaseSync: Database }))

it.each([
  ['sql-store.ts', () => import('../examples/sql-store.js'), /^\d+ cases passed$/],
  [
    'encrypted.ts',
    () => import('../examples/encrypted.js'),
    /^without the key: the record could not be decrypted$/,
  ],
])('examples/%s runs on better-sqlite3', async (_, run, lastLine) => {
  const log = vi.spyOn(console, 'log').mockReturnValue(undefined)
  await run()
  expect(log.mock.calls.at(-1)?.join(' ')).toMatch(lastLine)
  log.mockRestore()
})
