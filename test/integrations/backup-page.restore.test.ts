import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createVaultService } from '../../src/index.js'
import { createEtcdStore } from '../../src/storage/etcd.js'
import { openSqliteStore } from '../../src/storage/sqlite.js'
import { startEtcd } from '../../tools/reliability/support/etcd-server.js'
import { freePort } from '../../tools/reliability/support/server-process.js'
import { readPage } from '../support/source/pages.js'
import { withFolder } from './support/command/run-command.js'
import { backupCases } from './support/stores/backup-cases.js'
import { commandsOf, createBackupShell, operator } from './support/stores/backups.js'

const isInstalled = (name: string): boolean =>
  backupCases.some((backup) => backup.heading === name && backup.isInstalled)

describe.runIf(isInstalled('SQLite'))('SQLite in docs/backup.md', () => {
  const [backup = '', restore = ''] = commandsOf('SQLite')

  it('has a command that can be repeated', () =>
    withFolder(async (folder) => {
      const run = createBackupShell(folder)
      await (await openSqliteStore(join(folder, 'vault.db'))).close()
      for (const _ of ['first', 'second']) {
        expect(await run(backup)).toMatchObject({ code: 0, stdout: 'ok\n' })
        await pause(1000)
      }
      expect(backupsIn(folder)).toHaveLength(2)
    }))

  it('has a command that rejects a name without a database, and creates none', () =>
    withFolder(async (folder) => {
      const run = createBackupShell(folder)
      await (await openSqliteStore(join(folder, 'vaults.db'))).close()
      const lines = backup.trim().split('\n')
      const pasted = lines.map((line) => `${line} || echo failed`).join('\n')
      const { stdout } = await run(pasted)
      expect(stdout).toBe('failed\n'.repeat(3))
      expect(readdirSync(folder).filter((name) => name.endsWith('.db'))).toEqual(['vaults.db'])
    }))

  it('has a check that finds fewer items than the original has when one is missing', () =>
    withFolder(async (folder) => {
      const run = createBackupShell(folder)
      const store = await openSqliteStore(join(folder, 'vault.db'))
      const service = createVaultService({ store })
      const { id: vaultId } = await service.createVault(operator, { name: 'Team' })
      const item = { category: 'LOGIN' } as const
      await service.createItem(operator, { vaultId, item })
      const { id } = await service.createItem(operator, { vaultId, item })
      await store.close()
      await run(backup)
      const [BACKUP = ''] = backupsIn(folder)
      const lose = `sqlite3 restored.db "DELETE FROM cofferkit_records WHERE id = '${id}'"`
      expect(await run(`${restore}${lose}`, { BACKUP })).toMatchObject({ code: 0 })
      const check = commandsOf('Check a backup')
        .join('')
        .replaceAll(/ --encrypt \S+/g, '')
      const { code, stdout } = await run(check, { RESTORED: 'sqlite:restored.db' })
      expect(code).toBe(0)
      expect(stdout).toMatch(/^ok {6}everything {2}1 vault, 1 item$/m)
    }))
})

describe.runIf(isInstalled('etcd'))('etcd in docs/backup.md', () => {
  it('restores all members of one cluster', () =>
    withFolder(async (folder) => {
      const run = createBackupShell(folder)
      const [backup = ''] = commandsOf('etcd')
      const original = await startEtcd()
      const service = createVaultService({
        store: createEtcdStore({ endpoints: [original.endpoint] }),
      })
      const { id: vaultId } = await service.createVault(operator, { name: 'Team' })
      const env = { ENDPOINT: original.endpoint, ETCDCTL_API: '3' }
      expect(await run(backup, env)).toMatchObject({ code: 0 })
      await original.stop()

      const urls = await Promise.all(
        [1, 2, 3].map(async () => `http://127.0.0.1:${await freePort()}`),
      )
      const [, section = ''] = readPage('docs/backup.md').split('\n## etcd\n')
      const [, text = ''] = /^```text\n([\s\S]*?)^```$/m.exec(section) ?? []
      const members = urls.map((url, index) => {
        const flags = text
          .replace(
            'm1 --initial-advertise-peer-urls https://etcd-1:2380',
            `m${index + 1} --initial-advertise-peer-urls ${url}`,
          )
          .replaceAll(/https:\/\/etcd-(\d):2380/g, (_, number) => urls[number - 1] ?? '')
        return {
          url,
          dataFolder: `member-${index + 1}.etcd`,
          command: flags.replace('restored.etcd', `member-${index + 1}.etcd`),
        }
      })
      for (const { command } of members) expect(await run(command, env)).toMatchObject({ code: 0 })
      const cluster = /--initial-cluster (\S+)/.exec(members[0]?.command ?? '')?.[1] ?? ''
      const started = await Promise.all(
        members.map(({ url, dataFolder }, index) =>
          startEtcd([
            ...['--name', `m${index + 1}`, '--data-dir', join(folder, dataFolder)],
            ...['--listen-peer-urls', url, '--initial-advertise-peer-urls', url],
            ...['--initial-cluster', cluster],
          ]),
        ),
      )
      try {
        const stores = started.map(({ endpoint }) => createEtcdStore({ endpoints: [endpoint] }))
        for (const { endpoint } of started) {
          const { stdout } = await run(`etcdctl --endpoints=${endpoint} member list`, env)
          expect(stdout.trim().split('\n')).toHaveLength(3)
        }
        const [first, ...others] = stores.map((store) => createVaultService({ store }))
        const item = { category: 'LOGIN', title: 'Router' } as const
        await first?.createItem(operator, { vaultId, item })
        for (const other of others) {
          const items = await other.listItems(operator, { vaultId })
          expect(items.map(({ title }) => title)).toEqual(['Router'])
        }
      } finally {
        for (const member of started) await member.stop()
      }
    }))
})

/** Returns the names of the backups of a SQLite file. */
function backupsIn(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => name.startsWith('backup-'))
}
