import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type AccountRef,
  accountGrants,
  moreColumns,
  resealAccounts,
  sealAccount,
} from '../../../examples/account-grants.js'
import { isVaultError } from '../../../src/index.js'
import { createTokenKeeper, type GrantSource } from '../../../src/oauth.js'
import { createSealer } from '../../../src/seal.js'
import { createLocalKeyProvider } from '../../../src/storage/encrypted.js'
import { openSqliteStore } from '../../../src/storage/sqlite.js'
import {
  createContractTests,
  type GrantSubject,
  grantSourceContract,
} from '../../../src/testing.js'
import { createProvider } from '../../../tools/reliability/oauth/provider.js'
import { serveProvider } from '../../../tools/reliability/oauth/provider-server.js'

/** The process that is killed has the same key. */
const keys = createLocalKeyProvider({ key: new Uint8Array(32).fill(7) })
const ref: AccountRef = { providerId: 'mail', accountId: 'wendy' }
const leaseMs = 1000
const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (let clean = cleanups.pop(); clean !== undefined; clean = cleanups.pop()) await clean()
})

/** Creates the tables of better-auth with an account whose tokens have expired. */
async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'cofferkit-better-auth-'))
  cleanups.push(() => rmSync(folder, { recursive: true }))
  const store = await openSqliteStore(join(folder, 'store.db'))
  cleanups.push(() => store.close())
  const open = (): DatabaseSync => {
    const database = new DatabaseSync(join(folder, 'app.db'), { timeout: 30_000 })
    cleanups.push(() => database.close())
    return database
  }
  let time = Date.UTC(2026, 0, 1)
  const startSealer = () => createSealer(store.records, { keys, now: () => new Date(time) })
  const sealer = startSealer()
  const database = open()
  database.exec('PRAGMA journal_mode = WAL')
  const auth = betterAuth({
    ...{ baseURL: 'http://localhost:3000', secret: randomUUID(), database },
    emailAndPassword: { enabled: true },
    account: { updateAccountOnSignIn: false },
    databaseHooks: {
      account: {
        create: {
          before: async (account) => ({ data: await sealAccount(sealer, 'app', account) }),
        },
      },
    },
  })
  await (await getMigrations(auth.options)).runMigrations()
  database.exec(moreColumns)
  const { internalAdapter } = await auth.$context
  const body = { name: 'Wendy', email: 'wendy@example.com', password: randomUUID() }
  const { user } = await auth.api.signUpEmail({ body })
  const provider = createProvider({ expiresInSeconds: 3600, acceptedMs: 3_600_000 })
  const connect = async (account: AccountRef) => {
    const { accessToken, refreshToken } = provider.connect()
    const accessTokenExpiresAt = new Date(0)
    await internalAdapter.createAccount({
      ...{ userId: user.id, ...account, accessToken, refreshToken, accessTokenExpiresAt },
    })
  }
  await connect(ref)
  return {
    ...{ folder, store, open, startSealer, provider, connect, auth },
    nextHour() {
      time += 3_600_001
    },
    readTokens: () =>
      database
        .prepare(`SELECT "accessToken", "refreshToken" FROM account WHERE "providerId" = 'mail'`)
        .all()
        .flatMap((row) => Object.values(row).map(String)),
  }
}

/** Every third write fails: in turns before and after it was made. */
function failWrites(grants: GrantSource<AccountRef>): GrantSource<AccountRef> {
  let writes = 0
  return {
    ...grants,
    async replace(...row) {
      const turn = writes++ % 4
      if (turn === 0) throw new Error(`the driver quotes ${row[1].accessToken}`)
      const isReplaced = await grants.replace(...row)
      if (turn === 2) throw new Error(`the driver quotes ${row[1].accessToken}`)
      return isReplaced
    },
  }
}

describe('the tokens of better-auth, sealed', () => {
  describe('are a source of grants', () => {
    async function createSubject(): Promise<GrantSubject> {
      const { open, startSealer, connect } = await setUp()
      const other = { ...ref, accountId: 'zoe' }
      await connect(other)
      const grants = accountGrants(open(), startSealer(), 'app')
      return { grants, refs: [ref, other], missing: { ...ref, accountId: 'x' } } as never
    }
    for (const { name, run } of createContractTests(grantSourceContract, createSubject))
      it(name, run)
  })

  it('are refreshed once by many processes, beside a sweep, with drivers that fail', async () => {
    const world = await setUp()
    const { store, open, startSealer, provider } = world
    const errors: unknown[] = []
    const keepers = await Promise.all(
      [1, 2, 3, 4].map(async () =>
        createTokenKeeper({
          grants: failWrites(accountGrants(open(), startSealer(), 'app')),
          leases: store.records,
          leaseMs,
          refresh: async (token) => provider.refresh(token),
        }),
      ),
    )
    let isOver = false
    const sweep = (async () => {
      const [database, sealer] = [open(), startSealer()]
      let count = 0
      while (!isOver) {
        world.nextHour()
        await sealer.rotateDataKeys()
        count += await resealAccounts(database, sealer, 'app')
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
      return count
    })()
    let rejected: string | undefined
    for (let round = 0; round < 6; round++) {
      const calls = keepers.map((keeper) =>
        keeper.accessToken(ref, undefined, { rejected }).catch((error: unknown) => {
          if (!isVaultError(error) || error.status < 500) throw error
          errors.push(error)
          return undefined
        }),
      )
      for (const token of await Promise.all(calls)) {
        if (token === undefined) continue
        expect(provider.call(token)).toBe(true)
        rejected = token
      }
    }
    isOver = true
    expect(await sweep).toBeGreaterThan(0)
    await Promise.all(keepers.map((keeper) => keeper.close()))
    expect(provider.counts.reuses).toBe(0)
    for (const error of errors) expect(String(error)).not.toContain('access-')
    for (const text of world.readTokens()) expect(text).toMatch(/^coffer1\./)
  }, 60_000)

  it.each([
    ['before the request', 'alive'],
    ['after the request', 'reconnect'],
    ['after the write', 'alive'],
  ])(
    'are alive or say that they need a new consent when a process is killed %s',
    async (step, state) => {
      const { folder, store, open, startSealer, provider } = await setUp()
      const server = await serveProvider(provider, 0)
      cleanups.push(() => server.close())
      const child = spawn(
        process.execPath,
        [
          ...['--no-warnings', '--import', './tools/scripts/register-sources.ts'],
          fileURLToPath(new URL('./account-process.ts', import.meta.url)),
          ...[folder, server.url, step],
        ],
        { stdio: ['ignore', 'inherit', 'inherit'] },
      )
      const [, signal] = await once(child, 'exit')
      expect(signal).toBe('SIGKILL')
      const keeper = createTokenKeeper({
        grants: accountGrants(open(), startSealer(), 'app'),
        leases: store.records,
        leaseMs,
        refresh: async (token) => provider.refresh(token),
      })
      const outcome = await keeper.accessToken(ref).then(
        (token) => (provider.call(token) ? 'alive' : 'dead'),
        (error: unknown) => (isVaultError(error) ? error.code : String(error)),
      )
      expect(outcome).toBe(state === 'alive' ? 'alive' : 'RECONNECT_REQUIRED')
    },
    60_000,
  )
})
