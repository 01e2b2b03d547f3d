import { createMemoryStore } from 'cofferkit/memory'
import { vaultGrants } from 'cofferkit/oauth'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createCaller, createVaultService } from '../../../src/index.js'
import {
  createContractTests,
  type GrantSubject,
  grantSourceContract,
} from '../../../src/testing.js'
import { openTable } from '../../../tools/reliability/oauth/grant-place.js'
import { openSqliteTable } from '../../../tools/reliability/oauth/grant-table.js'
import {
  brokenGrantSources,
  createMemoryGrants,
  toSubject,
} from '../../support/oauth/broken-grant-sources.js'
import { runAll } from '../../support/run-all.js'

const variants = brokenGrantSources.flatMap(({ caseName, ...variant }) =>
  grantSourceContract
    .filter(({ name }) => name === caseName)
    .map((contractCase) => ({ ...variant, ...contractCase })),
)
const caller = createCaller({ id: 'token-keeper', vaults: '*' })
const tokens = { accessToken: 'a0', refreshToken: 'r0', expiresInSeconds: 0 }

async function createVaultSubject(): Promise<GrantSubject> {
  const service = createVaultService({ store: createMemoryStore() })
  const { id } = await service.createVault(caller, { name: 'Grants' })
  const grants = vaultGrants(service, caller)
  const refs = [
    await grants.save(id, { name: 'mail', ...tokens }),
    await grants.save(id, { name: 'files', ...tokens }),
  ] as const
  return { grants, refs, missing: { vaultId: id, itemId: '0'.repeat(26) } } as never
}

async function createTableSubject(): Promise<GrantSubject> {
  const table = await openSqliteTable(':memory:')
  onTestFinished(() => table.close())
  const { grants, save } = await openTable(table, createMemoryStore())
  for (const name of ['mail', 'files']) await save(name, tokens)
  return toSubject(grants as never)
}

const sources = {
  'a source in memory': async () => toSubject(createMemoryGrants()),
  vaultGrants: createVaultSubject,
  'a table with sealed tokens': createTableSubject,
}

describe.each(Object.entries(sources))('grantSourceContract: %s', (_, createSubject) => {
  for (const { name, run } of createContractTests(grantSourceContract, createSubject)) it(name, run)
})

describe('grantSourceContract', () => {
  it('has a broken source for every case', () => {
    const detected = new Set(variants.map(({ name }) => name))
    expect(
      grantSourceContract.map(({ name }) => name).filter((name) => !detected.has(name)),
    ).toEqual([])
    expect(variants).toHaveLength(brokenGrantSources.length)
  })

  it.each(variants)(
    'detects the source that breaks it: $name',
    async ({ run, message, subject }) => {
      await expect(run(subject())).rejects.toThrow(message)
    },
  )

  it('fails with the error of a source, and for a grant that was not created', async () => {
    const grants = createMemoryGrants()
    const failing = { ...grants, read: () => Promise.reject(new Error('down')) }
    const [first, second] = grantSourceContract
    await expect(first?.run(toSubject(failing))).rejects.toThrow('down')
    grants.rows.clear()
    await expect(second?.run(toSubject(grants))).rejects.toThrow('the grant was not found')
  })

  it.runIf(runAll).each(variants)(
    'detects the source with few other cases failing: $name',
    async ({ name, subject }) => {
      const failing: string[] = []
      for (const other of grantSourceContract)
        await other.run(subject()).catch(() => failing.push(other.name))
      expect(failing).toContain(name)
      expect(failing.length).toBeLessThan(grantSourceContract.length / 2)
    },
  )
})
