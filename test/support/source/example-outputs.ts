/** What the examples print. */

/** Output of `examples/visit.ts`. */
export const visitOutput =
  /^without a token: 401\na new item: Door code\nits file: 3000000 bytes in many chunks\n$/

/** Returns the output of `visitAs` in `examples/two-users.ts`. */
const loginOutput = (challenge: string): RegExp =>
  new RegExp(
    `^not logged in: 401, ${challenge}\na new item of wendy@example.com\nread again: Door code\nthe vault of another user: 403\n$`,
  )

/** The output of each example that `npm run test:all` runs, by its file. */
export const exampleOutputs: Readonly<Record<string, RegExp>> = {
  'agent.ts':
    /^asked: GET \/invoices\nBearer \[secret\]\nasked: GET \/customers\n.*is not allowed: .*\n.*with the method of the request: .*\n.*has expired\nyesterday: \{ 'agent-7': 1 \}\n$/,
  'encrypted.ts':
    /^key file: mode 600\nin the file, "The safe": false\nin the file, "36-14-52": false\nre-encrypted: 2 records\nwith the key: The safe behind the painting 36-14-52 version 1\nwithout the key: the encryption keys of vault \w+ are wrapped with the KEK .*\n$/,
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
  'level-store.ts': /^\d+ cases passed\n$/,
  'login-better-auth.ts': loginOutput('no challenge'),
  'login-express-jwt.ts': loginOutput('Bearer'),
  'login-express-session.ts': loginOutput('no challenge'),
  'login-fastify-session.ts': loginOutput('no challenge'),
  'login-hono-jwt.ts': loginOutput('Bearer'),
  'login-koa-session.ts': loginOutput('no challenge'),
  'login-passport.ts': loginOutput('no challenge'),
  'msw.ts': /through its own HTTP.*pass 3\n.*fail 0\n/s,
  'nest.ts': visitOutput,
  'better-auth-grants.ts':
    /^in the table: coffer1\. coffer1\.\nfour processes: 200 200 200 200\nrefreshes: 1\nRECONNECT_REQUIRED, signed in again once: 200\nRECONNECT_REQUIRED, signed in again twice: 200\nin the table: coffer1\. coffer1\.\n$/,
  'oauth-better-auth.ts':
    /^in the table: null null\nthe token: 200\n(?:refreshed: 200\nthe grant was revoked: RECONNECT_REQUIRED\nsigned in again (?:once|twice): 200\n){2}$/,
  'oauth-mcp.ts':
    /^wendy connects: REDIRECT AUTHORIZED 200\nvictor connects: REDIRECT AUTHORIZED 200\nthey have the same token: false\n(?:the token is refreshed: 200\nthe grant was revoked: no token\nwendy reconnects (?:once|twice): REDIRECT AUTHORIZED 200\n){2}$/,
  'oauth4webapi.ts':
    /^four processes: 200 200 200 200\nrefreshes: 1\nthe same token: 401\na new one: RECONNECT_REQUIRED\n$/,
  'private-keys.ts':
    /^github: 200 200 200 200\ngoogle: 200 200 200 200\nrefreshes: 2\nthe key: REFRESH_TOKEN\nthe provider has received it: false\nafter uninstalling: RECONNECT_REQUIRED\n$/,
  'own-rule.ts': /replaces a password after 90 days.*pass 3\n.*fail 0\n/s,
  'own-store.ts': /^records: (\d+) of \1 cases passed\nblobs: (\d+) of \2 cases passed\n$/,
  'published-client.ts': /a new password, and keeps the rest.*pass 3\n.*fail 0\n/s,
  'rate-limit.ts': /^allowed: 10\nrejected: 2, retry after (?:59|60) s\n$/,
  'users-and-vaults.ts':
    /^wendy creates two vaults, and an item: 200\ncarl sees: Family\ncarl adds an item: 403 for writing\ncarl opens the private vault: 403\nmembers left: 0\nwendy creates a vault with an id of her choice: 403\n$/,
  'relay.ts':
    /^the API has received the key: true\n200 \{"object":"list","echo":"Bearer \[secret\]"\}\n403 SECRET_USE_REFUSED\n403 SECRET_USE_REFUSED\n401 UNAUTHORIZED\nworker SUCCESS GET https:\/\/api\.stripe\.com\nworker DENY GET https:\/\/evil\.example\n$/,
  'references.ts':
    /^password: 13 characters\nthe program has: shop:5432\nthis process has: undefined\nhost: db2.internal\nuser: \$DB_USER\n404 op:\/\/Shop\/orders-db\/pass: field not found\n$/,
  'seal-a-column.ts':
    /^new: sk_live_correct_horse\nold: sk_live_globex_2024\nswept: 2\nleft: 0\nrotated: 2\nswept: 3\nstill: sk_live_globex_2024\nthe other row: sk_live_correct_horse\n$/,
  'sql-store.ts': /^\d+ cases passed\n$/,
}

/**
 * Modules that examples import, and examples for other runtimes and frameworks, which
 * `npm run test:all` runs, except that of Elysia.
 */
export const otherExamples = [
  ...[
    'visit.ts',
    'two-users.ts',
    'refuse-cross-site.ts',
    'oauth-provider.ts',
    'assertion-provider.ts',
    'github-app.ts',
    'google-service-account.ts',
    'account-grants.ts',
    'sdk-adapters.ts',
    'better-auth-refresh.ts',
    'better-auth-tokens.ts',
    'elysia.ts',
    'bun-serve.ts',
    'deno-serve.ts',
  ],
  ...['durable-object-store.ts', 'worker.ts', 'next.ts', 'sveltekit.ts'],
  ...['own-store-blobs.ts', 'own-store-records.ts', 'level-database.ts'],
  ...['d1-store.ts', 'd1-worker.ts', 'route-vaults.ts', 'route-to-primary.ts'],
  // Run by seal/hooks.test.ts.
  ...['seal-prisma.ts', 'seal-typeorm.ts'],
  // Run by storage/joined-transactions.postgres.test.ts.
  'item-in-transaction.ts',
  // Run by start-page.test.ts, mcp-server.test.ts and credentials/settings-page.chromium.test.ts.
  ...['quick-start.ts', 'mcp-server.ts', 'customer-keys.ts'],
]
