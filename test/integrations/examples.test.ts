import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { listen } from '../../examples/demo/listen.js'
import { tour } from '../../examples/demo/tour.js'
import { type DemoVault, startVault } from '../../examples/demo/vault.js'
import { routes } from '../../src/http/routes.js'
import type { Item, ItemSummary } from '../../src/index.js'
import { programPath } from '../../tools/scripts/integrations.js'
import { plainEnv, startProgram } from './support/source/program.js'
import { createShell } from './support/source/shell.js'

/** Output of `examples/visit.ts`. */
const visitOutput =
  /^without a token: 401\na new item: Door code\nits file: 3000000 bytes in many chunks\n$/

/** Returns the output of `visitAs` in `examples/two-users.ts`. */
const loginOutput = (challenge: string): RegExp =>
  new RegExp(
    `^not logged in: 401, ${challenge}\na new item of wendy@example.com\nread again: Door code\nthe vault of another user: 403\n$`,
  )

const expected: Readonly<Record<string, RegExp>> = {
  'encrypted.ts':
    /^key file: mode 600\nin the file, "The safe": false\nin the file, "36-14-52": false\nre-encrypted: 2 records\nwith the key: The safe behind the painting 36-14-52 version 1\nwithout the key: the record could not be decrypted: .*\n$/,
  'express.ts': /^not logged in: 401\nlogged in: 200 as wendy\n$/,
  'fastify.ts': /^200 Door code max-age=31536000\n$/,
  'fetch-handler.ts': /^The app reads its login, and throws when it has no access.\n$/,
  'files.ts':
    /^attached: scan.bin 300000 bytes\ninline: 413 .*\nread back: 300000 bytes, the same\n$/,
  'h3.ts': visitOutput,
  'jwt.ts':
    /^a token that can write: 200\na token that can read: 403\nthe first one, revoked: 401\n$/,
  'hono.ts': /^<-- GET \/\n--> GET \/ 200\nthe app\n<-- GET (.*)\n--> GET \1 200\nTeam\n$/,
  'koa.ts': /^GET \/ 200\nthe app\nGET \/secrets\/v1\/vaults\/… 200\nTeam\n$/,
  'lambda.ts': /^200 200 Door code\n$/,
  'level-store.ts': /^39 cases passed\n$/,
  'login-better-auth.ts': loginOutput('no challenge'),
  'login-express-jwt.ts': loginOutput('Bearer'),
  'login-express-session.ts': loginOutput('no challenge'),
  'login-fastify-session.ts': loginOutput('no challenge'),
  'login-hono-jwt.ts': loginOutput('Bearer'),
  'login-koa-session.ts': loginOutput('no challenge'),
  'login-passport.ts': loginOutput('no challenge'),
  'msw.ts': /through its own HTTP.*pass 3\n.*fail 0\n/s,
  'nest.ts': visitOutput,
  'oauth-better-auth.ts': /^refreshed: true\nthe same token again: false\n$/,
  'oauth-mcp.ts':
    /^refreshed: true\nthe same token again: false\nwendy uses the token of wendy\nvictor uses the token of victor\n$/,
  'oauth4webapi.ts':
    /^four processes: 200 200 200 200\nrefreshes: 1\nthe same token: 401\na new one: RECONNECT_REQUIRED\n$/,
  'own-rule.ts': /replaces a password after 90 days.*pass 3\n.*fail 0\n/s,
  'own-store.ts': /^records: 24 of 24 cases passed\nblobs: 15 of 15 cases passed\n$/,
  'published-client.ts': /a new password, and keeps the rest.*pass 3\n.*fail 0\n/s,
  'rate-limit.ts': /^allowed: 10\nrejected: 2, retry after (?:59|60) s\n$/,
  'users-and-vaults.ts':
    /^wendy creates two vaults, and an item: 200\ncarl sees: Family\ncarl adds an item: 403 for writing\ncarl opens the private vault: 403\nmembers left: 0\nwendy creates a vault with an id of her choice: 403\n$/,
  'references.ts':
    /^password: 13 characters\nthe program has: shop:5432\nthis process has: undefined\nhost: db2.internal\nuser: \$DB_USER\n404 op:\/\/Shop\/orders-db\/pass: field not found\n$/,
  'sql-store.ts': /^39 cases passed\n$/,
}

/**
 * Modules that examples import, and examples for other runtimes and frameworks, which
 * `npm run test:all` runs, except that of Elysia.
 */
const others = [
  ...[
    'visit.ts',
    'two-users.ts',
    'refuse-cross-site.ts',
    'oauth-provider.ts',
    'elysia.ts',
    'bun-serve.ts',
    'deno-serve.ts',
  ],
  ...['durable-object-store.ts', 'worker.ts', 'next.ts', 'sveltekit.ts'],
  ...['own-store-blobs.ts', 'own-store-records.ts', 'level-database.ts'],
  ...['d1-store.ts', 'd1-worker.ts', 'route-vaults.ts', 'route-to-primary.ts'],
  // Run by readme.test.ts, mcp-server.test.ts and credentials/settings-page.chromium.test.ts.
  ...['quick-start.ts', 'mcp-server.ts', 'customer-keys.ts'],
]

describe('examples', () => {
  it('are all run, except those for other runtimes', () => {
    const files = readdirSync('examples').filter((name) => name.endsWith('.ts'))
    expect(files.sort()).toEqual([...Object.keys(expected), ...others].sort())
  })

  it.each(Object.entries(expected))(
    '%s exits with 0 and prints the expected output',
    async (file, output) => {
      const { code, stdout, stderr } = await startProgram(`examples/${file}`).ended
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(output)
    },
  )

  it('elysia.ts exits with 0 on Bun and prints the expected output', async () => {
    const env = plainEnv()
    const bun = promisify(execFile)(programPath('bun'), ['run', 'examples/elysia.ts'], { env })
    const { stdout, stderr } = await bun
    expect(stderr).toBe('')
    expect(stdout).toMatch(visitOutput)
  })
})

describe('npm run demo', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('gets four successes, one error of each kind, and the item after a restart', async () => {
    const { code, stdout, stderr } = await startProgram('examples/demo/run.ts').ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const statuses = [...stdout.matchAll(/^ {3}← (\d{3}) /gm)].map(([, status]) => Number(status))
    expect(statuses).toEqual([200, 200, 200, 200, 401, 403, 404, 413, 200])
    expect(stdout).toContain('9 of 9 responses')
    expect(stdout).toContain('After the restart the item is unchanged')
    expect(stdout).toContain('The published client made 8 calls')
    expect(stdout).toContain("encrypted in the vault's file")
  })

  it('prints no field value, token, file content or colour', async () => {
    const lines: string[] = []
    vi.spyOn(console, 'log').mockImplementation((line: string) => lines.push(line))
    const folder = newFolder()
    const start = async (): Promise<DemoVault> => {
      vaults.push(await startVault(0, folder))
      return vaults.at(-1) as DemoVault
    }
    const vaults: DemoVault[] = []
    expect(await tour(start)).toBe(true)
    const vault = await start()
    try {
      const values = (await itemsOf(vault)).flatMap(({ fields }) =>
        fields.map(({ value }) => value),
      )
      const tokens = vaults.flatMap((each) => Object.values(each.tokens))
      const secrets = [...values, ...tokens, btoa('7391-2046\n5580-1127\n')]
      expect(values).toContain('4711')
      expect(values.filter((value) => value?.length === 24)).toHaveLength(1)
      const output = lines.join('\n')
      for (const secret of secrets) expect(output).not.toContain(secret)
      expect(output.match(/"(value|content)": (?!"•{8}")/)).toBeNull()
      expect(output).not.toContain('\u001b')
    } finally {
      await vault.close()
    }
  })

  it('finds its data after a restart', async () => {
    const folder = newFolder()
    const {
      tokens: _,
      origin: __,
      clientOrigin: ___,
      close,
      ...before
    } = await startVault(0, folder)
    await close()
    const again = await startVault(0, folder)
    await again.close()
    expect(again).toMatchObject(before)
  })

  it('uses a free port when its own is taken', async () => {
    const first = await listen(() => undefined, 0)
    const second = await listen(() => undefined, Number(new URL(first.origin).port))
    expect(second.origin).not.toBe(first.origin)
    first.close()
    second.close()
  })

  it('rejects an invalid port', async () => {
    const { code, stderr } = await startProgram('examples/demo/run.ts', '--port', '70000').ended
    expect(code).toBe(1)
    expect(stderr).toContain('--port must be 0 to 65535')
  })
})

describe('npm run demo -- --serve', () => {
  it('prints a working curl command for each route and stops on SIGINT', async () => {
    const parameters = ['--serve', '--port', '0', '--folder', newFolder()]
    const demo = startProgram('examples/demo/run.ts', ...parameters)
    const shell = createShell()
    onTestFinished(() => {
      demo.kill()
      shell.close()
    })
    const output = await demo.printed('Press Ctrl+C to stop.')
    const offers = [...output.matchAll(/^# (\w+), .*: (\d{3})\n(curl .*)$/gm)]
    expect(offers.map(([, operation]) => operation)).toEqual(routes.map((route) => route.operation))
    for (const [, operation, status, line = ''] of offers) {
      expect(`${operation} ${shell.paste(line)}`).toMatch(
        new RegExp(`^${operation} HTTP/1.1 ${status} `),
      )
    }
    process.kill(demo.pid, 'SIGINT')
    const { code, stdout, stderr } = await demo.ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.endsWith('Stopped.\n')).toBe(true)
  })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cofferkit-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

async function itemsOf({ origin, vaultId, tokens }: DemoVault): Promise<Item[]> {
  const headers = { authorization: `Bearer ${tokens.reader}` }
  const items = `${origin}/v1/vaults/${vaultId}/items`
  const summaries: ItemSummary[] = await (await fetch(items, { headers })).json()
  return Promise.all(
    summaries.map(async ({ id }) => (await fetch(`${items}/${id}`, { headers })).json()),
  )
}
