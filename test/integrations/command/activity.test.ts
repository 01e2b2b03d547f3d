import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type ActivityEntry, createCaller, createVaultService } from 'cofferkit'
import { createStoredActivityLog } from 'cofferkit/activity'
import { openSqliteStore } from 'cofferkit/sqlite'
import { describe, expect, it } from 'vitest'
import { createEntry } from '../../support/service/activity-entries.js'
import { runCommand, withFolder } from '../support/command/run-command.js'

const vaultId = 'team'.padEnd(26, 't')
const itemId = 'item'.padEnd(26, 'i')

/** An entry of a use that was rejected, with every text that a client can choose. */
function createUse(actorId: string, milliseconds: number): ActivityEntry {
  return {
    ...createEntry(actorId, milliseconds),
    operation: 'useField',
    result: 'DENY',
    code: 'FORBIDDEN',
    durationMs: 3,
    actor: { id: actorId, requestIp: '192.0.2.7' },
    use: { origin: 'https://api.example.com', method: 'GET', place: 'header:x', field: 'password' },
    credential: { name: 'crm', account: 'a=1' },
    resource: { type: 'ITEM', vault: { id: vaultId }, item: { id: itemId } },
  }
}

/** Calls `work` in a folder whose store has these entries. */
const withEntries = (
  entries: readonly ActivityEntry[],
  work: (run: (...flags: string[]) => ReturnType<typeof runCommand>, path: string) => Promise<void>,
): Promise<void> =>
  withFolder(async (folder) => {
    const path = join(folder, 'cofferkit.db')
    const store = await openSqliteStore(path)
    const log = createStoredActivityLog(store)
    for (const entry of entries) await log.record(entry)
    await store.close()
    await work((...flags) => runCommand({ folder }, 'activity', ...flags), path)
  })

describe('activity', () => {
  it('prints the entries of a service, newest first, and writes nothing', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'cofferkit.db')
      const store = await openSqliteStore(path)
      const service = createVaultService({ store, activity: createStoredActivityLog(store) })
      const ann = createCaller({ id: 'ann', vaults: '*', createVaults: true })
      await service.createVault(ann, { vaultId, name: 'Team' })
      await expect(
        service.getVault(createCaller({ id: 'bob', vaults: {} }), { vaultId }),
      ).rejects.toThrow()
      await store.close()
      const before = statSync(path).mtimeMs
      const first = await runCommand({ folder }, 'activity')
      expect(first).toEqual({ code: 0, stderr: '', stdout: expect.any(String) })
      const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`
      expect(first.stdout.split('\n')).toEqual([
        expect.stringMatching(
          `^${time} DENY    getVault code=FORBIDDEN caller=bob vault=${vaultId}$`,
        ),
        expect.stringMatching(
          `^${time} SUCCESS createVault caller=ann vault=${vaultId} version=1$`,
        ),
        '',
      ])
      expect(await runCommand({ folder }, 'activity')).toEqual(first)
      expect(statSync(path).mtimeMs).toBe(before)
      expect((await runCommand({ folder }, 'activity', '--store', 'sqlite:none.db')).code).toBe(2)
    }))

  it('prints entries as text and as JSON, in which no text is a line or controls a terminal', () => {
    const forged = 'ann\n2026-01-01T00:00:00.000Z SUCCESS getItem caller=bob\u2028\u009b2J\u202e"'
    const entry = {
      ...createUse(forged, 1),
      operation: 'x y',
      omitted: 4,
    } satisfies ActivityEntry
    return withEntries([createUse('ann', 0), entry], async (run) => {
      const { stdout } = await run()
      expect(stdout).toBe(
        [
          String.raw`2026-01-01T00:00:00.001Z DENY    "x y" code=FORBIDDEN caller="ann\n2026-01-01T00:00:00.000Z SUCCESS getItem caller=bob\u2028\u009b2J\u202e\""`,
          ` vault=${vaultId} item=${itemId} credential=crm account="a=1" field=password`,
          ' use="GET https://api.example.com" place=header:x address=192.0.2.7 omitted=4\n',
          '2026-01-01T00:00:00.000Z DENY    useField code=FORBIDDEN caller=ann',
          ` vault=${vaultId} item=${itemId} credential=crm account="a=1" field=password`,
          ' use="GET https://api.example.com" place=header:x address=192.0.2.7\n',
        ].join(''),
      )
      const json = (await run('--json', '--limit', '1')).stdout
      expect(json).toMatch(/^[ -~]+\n$/)
      expect(JSON.parse(json)).toEqual(entry)
    })
  })

  it('prints only the entries that match every filter', () => {
    const hour = 3_600_000
    const old = createUse('ann', -hour)
    const entries = [
      old,
      createUse('ann', 0),
      createEntry('', hour),
      { ...createEntry('bob', 2 * hour), timestamp: new Date().toISOString() },
    ] satisfies ActivityEntry[]
    return withEntries(entries, async (run) => {
      const listed = async (...flags: string[]): Promise<number[]> => {
        const { stdout } = await run('--json', ...flags)
        const ids = stdout.split('\n').filter(Boolean)
        return ids.map((line) =>
          entries.findIndex(({ requestId }) => requestId === JSON.parse(line).requestId),
        )
      }
      expect(await listed()).toEqual([3, 2, 1, 0])
      expect(await listed('--vault', vaultId)).toEqual([1, 0])
      expect(await listed('--vault', vaultId, '--item', itemId, '--limit', '1')).toEqual([1])
      expect(await listed('--vault', vaultId, '--item', vaultId)).toEqual([])
      expect(await listed('--caller', 'bob')).toEqual([3])
      expect(await listed('--caller', '')).toEqual([2])
      expect(await listed('--operation', 'useField', '--result', 'DENY')).toEqual([1, 0])
      expect(await listed('--result', 'PENDING')).toEqual([])
      expect(await listed('--since', '2h')).toEqual([3])
      expect(await listed('--until', '30m', '--limit', 'all')).toEqual([2, 1, 0])
      const since = '2026-01-01T01:00:00+01:00'
      expect(await listed('--since', since, '--until', '2026-01-01T01:00:00Z')).toEqual([1])
    })
  }, 30_000)

  it('says if it stopped at the limit or has found nothing', () => {
    const entries = Array.from({ length: 51 }, (_, index) => createEntry('ann', index))
    return withEntries(entries, async (run) => {
      const lines = ({ stdout }: { readonly stdout: string }) => stdout.split('\n').length - 1
      const first = await run()
      expect(first).toMatchObject({ code: 0, stderr: 'Stopped after 50 entries.\n' })
      expect(lines(first)).toBe(50)
      for (const limit of ['0', 'all', '51']) {
        const all = await run('--limit', limit)
        expect(all).toMatchObject({ code: 0, stderr: '' })
        expect(lines(all)).toBe(51)
      }
      expect(await run('--caller', 'bob')).toEqual({
        code: 0,
        stdout: '',
        stderr: 'The log has no such entries.\n',
      })
    })
  })

  it('prints the other entries and ends with 2 if some are damaged', () =>
    withEntries([createEntry('ann'), createEntry('bob', 1)], async (run, path) => {
      const database = new DatabaseSync(path)
      database.exec(
        `UPDATE cofferkit_records SET body = CAST('{}' AS BLOB)
         WHERE collection = 'activity' AND CAST(body AS TEXT) LIKE '%bob%'`,
      )
      database.close()
      const { code, stdout, stderr } = await run()
      expect({ code, stderr }).toEqual({ code: 2, stderr: 'error: left out 1 damaged entry\n' })
      expect(stdout).toMatch(/^\S+ SUCCESS listVaults caller=ann\n$/)
    }))

  it.each([
    [['--item', itemId], '--item needs --vault'],
    [['--vault', 'Team'], '--vault: must be an id of 26 letters and digits'],
    [['--result', 'FAIL'], '--result must be one of PENDING, SUCCESS, DENY'],
    [['--limit', '-1'], '--limit: must be a number, or all'],
    [['--limit', '1.5'], '--limit: must be a number, or all'],
    [['--since', '24'], '--since: must be a time such as'],
    [['--since', '0d'], '--since: must be a time such as'],
    [['--since', '2027-01-31'], '--since: must be a time such as'],
    [['--until', '2027-02-30T00:00:00Z'], '--until: must be a time such as'],
    [['--since', '1h', '--until', '2h'], '--since must be before --until'],
  ])('rejects %j', (flags, message) =>
    withEntries([], async (run) => {
      const { code, stdout, stderr } = await run(...flags)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr.startsWith(`error: ${message}`)).toBe(true)
    }),
  )
})
