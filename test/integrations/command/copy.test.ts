import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCaller, createVaultService } from 'cofferkit'
import { createStoredActivityLog } from 'cofferkit/activity'
import { openSqliteStore } from 'cofferkit/sqlite'
import { describe, expect, it } from 'vitest'
import { contentsOf, fill } from '../support/command/filled-store.js'
import { commandText, runCommand, withFolder } from '../support/command/run-command.js'

const caller = createCaller({ id: 'tester', vaults: '*' })

/** Adds a log and a history to the store of `fill`. */
async function fillMore(path: string): Promise<void> {
  await fill(path)
  const store = await openSqliteStore(path)
  const service = createVaultService({
    store,
    history: { maxVersions: 5 },
    activity: createStoredActivityLog(store),
  })
  const vaultId = 'team'.padEnd(26, 't')
  const items = await service.listItems(caller, { vaultId })
  const { id: itemId = '' } = items.find(({ state }) => state === undefined) ?? {}
  for (const title of ['a', 'b', 'c']) {
    const patch = [{ op: 'replace', path: '/title', value: title }] as const
    await service.patchItem(caller, { vaultId, itemId, patch })
  }
  await store.close()
}

/** Everything that a service returns of a store. */
async function historyOf(path: string): Promise<unknown> {
  const store = await openSqliteStore(path)
  const service = createVaultService({ store, activity: createStoredActivityLog(store) })
  const vaultId = 'team'.padEnd(26, 't')
  const items = []
  const { entries } = await service.listActivity(caller)
  for (const { id: itemId } of await service.listItems(caller, { vaultId }))
    items.push(
      await service.getItem(caller, { vaultId, itemId }),
      await service.listVersions(caller, { vaultId, itemId }),
    )
  await store.close()
  return { items, entries: entries.filter(({ operation }) => operation === 'patchItem') }
}

describe('copy', { timeout: 120_000 }, () => {
  it('moves a store with ids, versions, history, log and files, from plaintext to encrypted and back', () =>
    withFolder(async (folder) => {
      const run = (...words: readonly string[]) => runCommand({ folder }, ...words)
      await fillMore(join(folder, 'a.db'))
      await run('keygen', 'key')
      const words = ['copy', '--from', 'sqlite:a.db', '--to', 'sqlite:b.db', '--to-encrypt', 'key']
      const first = await run(...words)
      expect(first).toMatchObject({ code: 0 })
      expect(first.stdout).toMatch(/^Copied \d+ records and 2 files in [\d.]+ s\.\n$/)
      expect(first.stderr).toContain('stop every process that writes to SQLite file a.db')
      const last = await run(...words, '--last')
      expect(last).toMatchObject({ code: 0, stderr: '' })
      const [copied, from, digest, to, other, equal] = last.stdout.split('\n')
      expect(copied).toMatch(/^Copied 0 records and 0 files/)
      expect(from).toMatch(
        /^From SQLite file a\.db: 2 vaults, 3 items, 2 files, 3 versions, \d+ log entries$/,
      )
      expect(to?.split(': ')[1]).toBe(from?.split(': ')[1])
      expect(digest).toMatch(/^ {5}digest [\da-f]{64}$/)
      expect(other).toBe(digest)
      expect(equal).toMatch(/^Equal after [\d.]+ s\. Start your service on SQLite file b\.db\.$/)
      expect(readFileSync(join(folder, 'b.db')).includes('s3cret')).toBe(false)
      const back = ['--from', 'sqlite:b.db', '--from-encrypt', 'key', '--to', 'sqlite:c.db']
      expect((await run('copy', ...back, '--last')).code).toBe(0)
      const expected = [
        await historyOf(join(folder, 'a.db')),
        await contentsOf(join(folder, 'a.db')),
      ]
      expect([
        await historyOf(join(folder, 'c.db')),
        await contentsOf(join(folder, 'c.db')),
      ]).toEqual(expected)
    }))

  it('never changes a store that is not an unfinished copy', () =>
    withFolder(async (folder) => {
      const run = (...words: readonly string[]) => runCommand({ folder }, ...words)
      await fill(join(folder, 'a.db'))
      await fill(join(folder, 'b.db'))
      const before = await contentsOf(join(folder, 'b.db'))
      const words = ['copy', '--from', 'sqlite:a.db', '--to', 'sqlite:b.db']
      const { code, stderr } = await run(...words)
      expect(code).toBe(2)
      expect(stderr).toContain('SQLite file b.db has data that is no unfinished copy')
      expect(await contentsOf(join(folder, 'b.db'))).toEqual(before)
      const complete = ['copy', '--from', 'sqlite:a.db', '--to', 'sqlite:c.db', '--last']
      expect((await run(...complete)).code).toBe(0)
      expect((await run(...complete)).stderr).toContain('has data that is no unfinished copy')
    }))

  it('names its own flags in errors, and reads stores from the environment', () =>
    withFolder(async (folder) => {
      await fill(join(folder, 'a.db'))
      const run = (...words: readonly string[]) => runCommand({ folder }, 'copy', ...words)
      expect((await run('--from', 'sqlite:a.db')).stderr).toContain('copy needs --to')
      expect((await run('--from', 'a.db', '--to', 'memory')).stderr).toContain(
        '--from: unknown store',
      )
      const missing = await run('--from', 'sqlite:no.db', '--to', 'sqlite:b.db')
      expect(missing.stderr).toContain('Name another one with --from sqlite:PATH, or create it')
      await runCommand({ folder }, 'keygen', 'key')
      const wrong = ['--from', 'sqlite:a.db', '--to', 'sqlite:b.db', '--from-encrypt', 'key']
      expect((await run(...wrong)).stderr).toMatch(
        /is not encrypted: leave --from-encrypt out, or run cofferkit reencrypt .* --encrypt key/,
      )
      const env = { COFFERKIT_FROM: 'sqlite:a.db', COFFERKIT_TO: 'sqlite:d.db' }
      expect((await runCommand({ folder, env }, 'copy', '--last')).code).toBe(0)
      expect(existsSync(join(folder, 'd.db'))).toBe(true)
    }))

  it('ends right when it is killed at any moment and run again', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'a.db')
      const store = await openSqliteStore(path)
      const service = createVaultService({ store, history: { maxVersions: 5 } })
      const { id: vaultId } = await service.createVault(caller, { name: 'Team' })
      for (let count = 0; count < 300; count++) {
        const item = { category: 'LOGIN', title: `Item ${count}` } as const
        const { id: itemId } = await service.createItem(caller, { vaultId, item })
        const ref = { vaultId, itemId }
        if (count % 5 === 0)
          await service.attachFile(caller, { ...ref, name: 'a', content: new Uint8Array(5000) })
      }
      await store.close()
      const words = ['copy', '--from', 'sqlite:a.db', '--to', 'sqlite:b.db']
      let copied = 0
      for (let kill = 0; kill < 4; kill++) {
        const line = `exec ${commandText(...words)}`
        const child = spawn(line, { cwd: folder, shell: true, stdio: 'ignore' })
        const exit = once(child, 'exit')
        const to = join(folder, 'b.db')
        // Each time some more records are written before it is killed.
        while (child.exitCode === null && (await countRecords(to)) <= copied + 20)
          await new Promise((resolve) => setTimeout(resolve, 5))
        child.kill('SIGKILL')
        await exit
        copied = await countRecords(to)
      }
      expect(copied).toBeGreaterThan(80)
      const last = await runCommand({ folder }, ...words, '--last')
      expect(last).toMatchObject({ code: 0 })
      const [, rest] = /^Copied (\d+) records/.exec(last.stdout) ?? []
      expect(Number(rest)).toBeLessThan(302)
    }))
})

async function countRecords(path: string): Promise<number> {
  const { DatabaseSync } = await import('node:sqlite')
  try {
    const database = new DatabaseSync(path, { readOnly: true })
    const row = database.prepare('select count(*) as count from cofferkit_records').get()
    database.close()
    return Number(row?.['count'])
  } catch {
    return 0
  }
}
