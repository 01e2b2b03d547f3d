import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createCaller, createVaultService, type VaultStore } from 'cofferkit'
import { createStoredActivityLog } from 'cofferkit/activity'
import { createEncryptedStore, createLocalKeyProvider, readKeyFile } from 'cofferkit/encrypted'
import { openSqliteStore } from 'cofferkit/sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { printTable } from '../../../tools/reliability/support/table.js'
import { runCommand, startCommand, withFolder } from '../support/command/run-command.js'

const caller = createCaller({ id: 'tester', vaults: '*' })
const vaultIds = ['a', 'b', 'c', 'd'].map((letter) => letter.padEnd(26, letter))
const [vaultId = ''] = vaultIds
const itemId = 'team'.padEnd(26, 'i')

/** Fills a store with four vaults, the items of which have a history, files and a log. */
async function fill(store: VaultStore): Promise<void> {
  const service = createVaultService({
    store,
    history: { maxVersions: 3 },
    activity: createStoredActivityLog(store),
  })
  for (const vaultId of vaultIds) {
    await service.createVault(caller, { vaultId, name: `Vault ${vaultId[0]}` })
    for (const id of [itemId, 'more'.padEnd(26, 'j')]) {
      const ref = { vaultId, itemId: id }
      const field = { id: 'password', type: 'CONCEALED', value: 's3cret' } as const
      const item = { category: 'LOGIN', title: 'Mail', fields: [field] } as const
      await service.createItem(caller, { ...ref, item })
      const patch = [{ op: 'replace', path: '/title', value: `Mail of ${id[0]}` }] as const
      await service.patchItem(caller, { ...ref, patch })
      await service.attachFile(caller, { ...ref, name: 'a', content: Buffer.alloc(200_000, 7) })
    }
  }
}

/** Flips one bit of a row's bytes. @param where - The condition that finds the row. */
function flip(path: string, table: string, column: string, where: string, at = 0.8): string {
  const database = new DatabaseSync(path)
  const query = `select rowid as row, * from ${table} where ${where} order by 1 limit 1`
  const { row = 0, id, [column]: bytes } = database.prepare(query).get() ?? {}
  const changed = new Uint8Array(bytes as Uint8Array)
  const index = Math.floor(changed.length * at)
  changed[index] = (changed[index] ?? 0) ^ 1
  database.prepare(`update ${table} set ${column} = ? where rowid = ?`).run(changed, row)
  database.close()
  return String(id)
}

const ofCollection = (collection: string) => `collection = '${collection}'`

/** One damaged byte: how it is made, and the line of `doctor --deep` that names it. */
const damages = [
  {
    kind: 'vault record',
    flip: (path: string) =>
      `vaults/${flip(path, 'cofferkit_records', 'body', ofCollection('vaults'))}`,
  },
  {
    kind: 'item',
    flip: (path: string) =>
      `items/${vaultId}/${flip(path, 'cofferkit_records', 'body', ofCollection(`items/${vaultId}`))}`,
  },
  {
    kind: 'version',
    flip: (path: string) =>
      `versions/${vaultId}/${flip(path, 'cofferkit_records', 'body', ofCollection(`versions/${vaultId}`))}`,
  },
  {
    kind: 'file',
    flip: (path: string) => {
      flip(path, 'cofferkit_chunks', 'bytes', '1')
      return 'blobs/'
    },
  },
  {
    kind: 'log entry',
    flip: (path: string) =>
      `activity/${flip(path, 'cofferkit_records', 'body', ofCollection('activity'))}`,
  },
  {
    kind: 'key ring, a wrapped key',
    flip: (path: string) => {
      const where = `${ofCollection('keys')} and id = '${vaultId}'`
      return `keys/${flip(path, 'cofferkit_records', 'body', where, 0.5)}`
    },
  },
  {
    kind: 'key ring, its form',
    flip: (path: string) => {
      const where = `${ofCollection('keys')} and id = '${vaultId}'`
      return `keys/${flip(path, 'cofferkit_records', 'body', where, 0.01)}`
    },
  },
  {
    kind: 'key ring of the vaults',
    flip: (path: string) =>
      `keys/${flip(path, 'cofferkit_records', 'body', `${ofCollection('keys')} and id = 'vaults'`, 0.5)}`,
  },
]

const rows: Record<string, string>[] = []
afterAll(() => printTable(rows))

describe('doctor --deep', { timeout: 120_000 }, () => {
  it.each(damages)('names one flipped byte in: $kind', ({ kind, flip }) =>
    withFolder(async (folder) => {
      const run = (...words: readonly string[]) => runCommand({ folder }, ...words)
      await run('keygen', 'key')
      const key = await readKeyFile(join(folder, 'key'))
      const inner = await openSqliteStore(join(folder, 'cofferkit.db'))
      const keys = createLocalKeyProvider({ key })
      await fill(createEncryptedStore(inner, { keys }))
      await inner.close()
      const sound = await run('doctor', '--deep', '--encrypt', 'key')
      expect(sound).toMatchObject({ code: 0, stderr: '' })
      expect(sound.stdout).toMatch(
        /^ok {6}everything {2}6 key rings, 4 vaults, 8 items, 8 files, 16 versions, \d+ log entries$/m,
      )
      const name = flip(join(folder, 'cofferkit.db'))
      const startedAt = performance.now()
      const deep = await run('doctor', '--deep', '--encrypt', 'key')
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(2)
      expect(deep.code).toBe(2)
      expect(deep.stdout).toMatch(new RegExp(`^failed {2}(?:damaged|key ring) +${name}`, 'm'))
      expect(deep.stdout.match(/^failed {2}/gm)).toHaveLength(1)
      expect(deep.stdout).not.toMatch(/[Rr]estore/)
      const last = { vaultId: vaultIds[3] ?? '', itemId }
      const service = createVaultService({
        store: createEncryptedStore(await openSqliteStore(join(folder, 'cofferkit.db')), { keys }),
        onError: () => {},
      })
      const works = async (call: Promise<unknown>): Promise<string> =>
        call.then(
          () => 'yes',
          () => 'no',
        )
      const other = await works(service.getField(caller, { ...last, field: 'password' }))
      expect(other).toBe('yes')
      rows.push({
        'one flipped byte in': kind,
        'other vaults': other,
        'this vault': await works(service.listItems(caller, { vaultId })),
        doctor: (await run('doctor', '--encrypt', 'key')).code === 0 ? 'ok' : 'fails',
        'doctor --deep names': name.replaceAll(/([a-z])\1{9,}/g, '$1…').slice(0, 40),
        seconds,
      })
    }),
  )

  it('works with a configuration, and counts contents to which nothing refers', () =>
    withFolder(async (folder) => {
      const run = (...words: readonly string[]) => runCommand({ folder }, ...words)
      await run('keygen', 'key')
      const path = join(folder, 'cofferkit.db')
      symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(folder, 'node_modules'))
      writeFileSync(
        join(folder, 'cofferkit.config.mjs'),
        `import { createEncryptedStore, createLocalKeyProvider, readKeyFile } from 'cofferkit/encrypted'
import { openSqliteStore } from 'cofferkit/sqlite'
const database = await openSqliteStore(${JSON.stringify(path)})
const keys = createLocalKeyProvider({ key: await readKeyFile(${JSON.stringify(join(folder, 'key'))}) })
export default { store: createEncryptedStore(database, { keys }), close: () => database.close() }
`,
      )
      const inner = await openSqliteStore(path)
      const key = await readKeyFile(join(folder, 'key'))
      const store = createEncryptedStore(inner, { keys: createLocalKeyProvider({ key }) })
      await fill(store)
      await store.blobs.write(`${vaultId}/${'z'.repeat(26)}`, new Uint8Array(9))
      await inner.close()
      const ok = await run('doctor', '--deep', '--store', 'sqlite:cofferkit.db', '--encrypt', 'key')
      expect(ok.code).toBe(0)
      expect(ok.stdout).toMatch(/^warning garbage +1 content to which no record refers$/m)
      const where = `${ofCollection('keys')} and id = '${vaultId}'`
      flip(path, 'cofferkit_records', 'body', where, 0.5)
      const { code, stdout } = await startCommand({ folder }, 'doctor', '--deep')
      expect(code).toBe(2)
      expect(stdout).toMatch(new RegExp(`^failed {2}key ring +keys/${vaultId} opens nothing`, 'm'))
    }))

  it('finds records of a plaintext store that no service reads', () =>
    withFolder(async (folder) => {
      const path = join(folder, 'cofferkit.db')
      const store = await openSqliteStore(path)
      await fill(store)
      await store.close()
      const name = flip(path, 'cofferkit_records', 'body', ofCollection(`items/${vaultId}`), 0.9999)
      const { code, stdout } = await runCommand({ folder }, 'doctor', '--deep')
      expect(code).toBe(2)
      expect(stdout).toContain(`items/${vaultId}/${name}`)
    }))
})
