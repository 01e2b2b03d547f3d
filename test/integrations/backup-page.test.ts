import { mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createVaultService, isVaultError } from '../../src/index.js'
import {
  createEncryptedStore,
  createKeyFile,
  createLocalKeyProvider,
  readKeyFile,
} from '../../src/storage/encrypted.js'
import { openSqliteStore } from '../../src/storage/sqlite.js'
import { readPage } from '../support/source/pages.js'
import { withFolder } from './support/command/run-command.js'
import { backupCases } from './support/stores/backup-cases.js'
import {
  commandsOf,
  createBackupShell,
  type OpenedStore,
  operator,
  readBack,
  startItemWriters,
} from './support/stores/backups.js'

const checks = commandsOf('Check a backup')
const [saveKey = '', restoreKey = ''] = commandsOf('The key')
const [, bothKeys = ''] =
  /`(--encrypt restored\.key --encrypt \S+?)`/.exec(readPage('docs/backup.md')) ?? []

/** Key files by the names of their keys. The key `2027` is the current one, if it is there. */
type KeyFiles = Readonly<Record<string, string>>

/** Encrypts a store with the keys of files; with none it stays plaintext. */
async function encrypt({ store }: OpenedStore, files: KeyFiles) {
  const read = Object.entries(files).map(async ([name, file]) => [name, await readKeyFile(file)])
  const keys = Object.fromEntries(await Promise.all(read))
  const provider = createLocalKeyProvider({
    keys,
    keyId: files['2027'] === undefined ? 'local' : '2027',
  })
  return createEncryptedStore(store, { keys: provider })
}

/** Returns a service on a store, encrypted with the keys of files if there are any. */
async function openService(opened: OpenedStore, files: KeyFiles = {}) {
  const isPlain = Object.keys(files).length === 0
  return createVaultService({ store: isPlain ? opened.store : await encrypt(opened, files) })
}

/** Of a store: its name, whether it is encrypted, and whether its KEK was replaced. */
const states: readonly (readonly [string, boolean, boolean])[] = [
  ['encrypted with a KEK that was replaced', true, true],
  ['encrypted with a KEK that is being replaced', true, false],
  ['plaintext', false, false],
]

function withoutKey(commands: string): string {
  return commands.replaceAll(/ --encrypt \S+/g, '')
}

for (const { heading, packages, isInstalled, start } of backupCases) {
  const skippedSuffix = isInstalled ? '' : ` (not run: install ${packages.join(' and ')})`
  const title = `backup of ${heading} in docs/backup.md${skippedSuffix}`
  describe.runIf(isInstalled)(title, () => {
    // What the commands do with keys does not depend on the database.
    const isSqlite = heading === 'SQLite'
    it.each(isSqlite ? states : states.slice(0, 1))(
      'restores every acknowledged item and file, %s, while others are written',
      (_, isEncrypted, isReplaced) =>
        withFolder(async (folder) => {
          const run = createBackupShell(folder)
          const server = await start(folder)
          const [backup = '', restore = ''] = commandsOf(heading)
          const [key, former] = [join(folder, 'vault.key'), join(folder, 'former.key')]
          const safe = join(folder, 'safe')
          mkdirSync(safe)
          const closing: (() => Promise<unknown>)[] = []
          try {
            if (isEncrypted) {
              await createKeyFile(key)
              await createKeyFile(former)
              expect(await run(saveKey, { SAFE: safe })).toMatchObject({ code: 0 })
            }
            const original = await server.openOriginal()
            closing.push(() => original.close())
            const earlier = await openService(original, isEncrypted ? { local: former } : {})
            const first = await startItemWriters(earlier)
            await first.reached(4)
            await first.stop()
            const files = { local: former, '2027': key }
            if (isReplaced) await (await encrypt(original, files)).rewrapKeys()
            const service = await openService(original, isEncrypted ? files : {})
            closing.push(() => service.close())
            const writers = await startItemWriters(service)
            closing.push(() => writers.stop())
            await writers.reached(12)
            const ofWriters = writers.acknowledged.length
            const expected = [...first.acknowledged, ...writers.acknowledged]
            const result = await run(backup, server.env)
            expect(result).toMatchObject({ code: 0 })
            if (isSqlite) expect(result.stdout).toBe('ok\n')
            await writers.reached(ofWriters + 4)
            await writers.stop()
            await service.close()
            await original.close()
            // The backup contains what the store contains, so only its owner can read it.
            const [file = ''] = readdirSync(folder).filter((name) =>
              /^backup[.-](?!cnf)/.test(name),
            )
            expect(statSync(join(folder, file)).mode & 0o077).toBe(0)
            const bytes = readFileSync(join(folder, file), 'latin1')
            const found = expected.filter(({ value }) => bytes.includes(value))
            if (isEncrypted) expect(found).toEqual([])
            else expect(found).toEqual(expected)

            // The original and its key are gone.
            for (const name of readdirSync(folder))
              if (name.startsWith('vault.'))
                renameSync(join(folder, name), join(folder, `lost-${name}`))
            if (isEncrypted)
              expect(await run(restoreKey, { SAFE: safe })).toMatchObject({ code: 0 })
            const restoring = await run(restore, {
              ...server.env,
              ...(await server.prepareRestore()),
            })
            expect(restoring).toMatchObject({ code: 0 })
            const restored = await server.openRestored()
            closing.push(() => restored.close())
            const env = { ...server.env, RESTORED: restored.location }
            const withKeys = (commands: string): string => {
              if (!isEncrypted) return withoutKey(commands)
              return isReplaced ? commands : commands.replaceAll(/--encrypt \S+/g, bothKeys)
            }
            for (const commands of checks) {
              const checked = await run(withKeys(commands), env)
              expect(checked).toMatchObject({ code: 0 })
              expect(checked.stdout).toMatch(/^ok {6}everything .*2 vaults, \d+ items, \d+ files/m)
            }
            const restoredFiles = {
              ...(!isReplaced && { local: former }),
              '2027': join(folder, 'restored.key'),
            }
            const again = await openService(restored, isEncrypted ? restoredFiles : {})
            closing.push(() => again.close())
            for (const item of expected) {
              const { value, content } = await readBack(again, item)
              expect([value, content.equals(item.content)]).toEqual([item.value, true])
            }

            if (isEncrypted) {
              // Without the key, or with another one, nothing opens.
              await createKeyFile(join(folder, 'other.key'))
              const other = (text: string): string => text.replaceAll('restored.key', 'other.key')
              const changes = [withoutKey, other, ...(isReplaced ? [] : [String])]
              for (const change of isSqlite ? changes : [])
                for (const line of checks.flatMap((commands) =>
                  change(commands).trim().split('\n'),
                ))
                  expect(await run(line, env)).toMatchObject({ code: 2 })
              for (const files of [{}, { '2027': join(folder, 'other.key') }]) {
                const closed = await openService(restored, files)
                const [{ vaultId = '', itemId = '' } = {}] = expected
                const reading = closed.getItem(operator, { vaultId, itemId })
                await expect(reading).rejects.toSatisfy(isVaultError)
              }
            }
          } finally {
            // If the test has failed before, what it opened is open: the last one is closed first.
            for (const close of closing.reverse()) await close().catch(() => {})
            await server.stop()
          }
        }),
    )
  })
}

describe('docs/backup.md', () => {
  it('has a command that checks a restored store, and two of each database', () => {
    expect(checks.join('').trim().split('\n')).toHaveLength(1)
    const sections = backupCases.map(({ heading }) => commandsOf(heading).length)
    expect(sections).toEqual(backupCases.map(() => 2))
  })

  it('has backups whose programs CI installs', () => {
    const [, names = ''] = /^programs\(\) \{(.*?)^\}/ms.exec(readFileSync('.ci/run', 'utf8')) ?? []
    const installed = [...names.matchAll(/missing\+=\((.+?)\)/g)].flatMap(([, list = '']) =>
      list.split(' '),
    )
    expect(installed).toEqual(
      expect.arrayContaining(backupCases.flatMap(({ packages }) => packages)),
    )
  })
})

describe('export and import in docs/backup.md', { timeout: 120_000 }, () => {
  it('move every item and file to another store with another key', () =>
    withFolder(async (folder) => {
      const run = createBackupShell(folder)
      const key = join(folder, 'vault.key')
      await createKeyFile(key)
      const open = async (name: string, keyFile: string) => {
        const store = await openSqliteStore(join(folder, name))
        const service = await openService(
          { store, location: '', close: () => store.close() },
          { local: join(folder, keyFile) },
        )
        return { service, close: () => store.close() }
      }
      const original = await open('vault.db', 'vault.key')
      const writers = await startItemWriters(original.service)
      await writers.reached(8)
      await writers.stop()
      await original.close()
      for (const commands of commandsOf('Export and import'))
        expect(await run(commands)).toMatchObject({ code: 0 })

      const imported = await open('restored.db', 'restored.key')
      const [{ id: vaultId = '' } = {}] = await imported.service.listVaults(operator)
      const items = await imported.service.listItems(operator, { vaultId })
      expect(items).toHaveLength(writers.acknowledged.length)
      for (const item of writers.acknowledged) {
        const itemId = items.find(({ title }) => title === item.title)?.id ?? ''
        const files = await imported.service.listFiles(operator, { vaultId, itemId })
        const fileId = files[0]?.id ?? ''
        const { value, content } = await readBack(imported.service, {
          ...item,
          vaultId,
          itemId,
          fileId,
        })
        expect([value, content.equals(item.content)]).toEqual([item.value, true])
      }
      await imported.close()
    }))
})

describe('copy in docs/backup.md', { timeout: 120_000 }, () => {
  it('moves a store to another one, with its ids', () =>
    withFolder(async (folder) => {
      const run = createBackupShell(folder)
      await createKeyFile(join(folder, 'vault.key'))
      await createKeyFile(join(folder, 'moved.key'))
      const open = async (name: string, key: string) => {
        const store = await openSqliteStore(join(folder, name))
        const opened = { store, location: '', close: () => store.close() }
        return { service: await openService(opened, { local: join(folder, key) }), store }
      }
      const original = await open('vault.db', 'vault.key')
      const writers = await startItemWriters(original.service)
      await writers.reached(8)
      const [first = '', last = ''] = commandsOf('Move to another database')
      expect(await run(first)).toMatchObject({ code: 0 })
      await writers.reached(12)
      await writers.stop()
      await original.store.close()
      const moved = await run(last)
      expect(moved).toMatchObject({ code: 0, stdout: /^Equal after /m })
      const { service, store } = await open('moved.db', 'moved.key')
      for (const item of writers.acknowledged) {
        const { value, content } = await readBack(service, item)
        expect([value, content.equals(item.content)]).toEqual([item.value, true])
      }
      await store.close()
    }))
})
