import { describe, expect, it } from 'vitest'
import { createCaller, createVaultService } from '../../../src/index.js'
import { createSqliteStore } from '../../../src/storage/sqlite.js'
import { createDatabasePath, drivers, recordStatements } from '../../support/stores/sqlite.js'

const caller = createCaller({ id: 'admin', vaults: '*' })

describe.each(Object.entries(drivers))('deleteVault on %s', (_, open) => {
  it('makes at most one commit for five items', async () => {
    const { database, log } = recordStatements(open(createDatabasePath()))
    const service = createVaultService({ store: createSqliteStore(database) })
    const { id: vaultId } = await service.createVault(caller, { name: 'Old' })
    const item = { category: 'LOGIN', title: 'Login', vault: { id: vaultId } } as const
    const items = Array.from({ length: 100 }, () => service.createItem(caller, { vaultId, item }))
    await Promise.all(items)
    log.length = 0
    await service.deleteVault(caller, { vaultId })
    const commits = log.filter((sql) => sql === 'commit').length
    process.stdout.write(`deleteVault of 100 items: ${commits} commits\n`)
    expect(commits / items.length).toBeLessThanOrEqual(0.2)
  })
})
