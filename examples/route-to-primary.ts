/** Sends each statement to the server that Patroni has made the primary. */

import type {
  PostgresClient,
  PostgresResult,
  PreparedStatement,
  PreparingPostgresClient,
} from 'cofferkit/postgres'

type Client = PostgresClient & PreparingPostgresClient

/**
 * Returns a client for `createPostgresStore`. `servers` are the pools of all servers by the URL of
 * the server's Patroni. After an error, the next statement looks for the primary again. No
 * statement is sent twice.
 *
 * @example
 * const servers = new Map<string, pg.Pool>()
 * for (const host of ['one.internal', 'two.internal', 'three.internal']) {
 *   const pool = new pg.Pool({ host, connectionTimeoutMillis: 2_000, query_timeout: 20_000 })
 *   pool.on('error', () => {})
 *   servers.set(`http://${host}:8008`, pool)
 * }
 * const store = createPostgresStore(routeToPrimary(servers), { prepare: true })
 */
export function routeToPrimary(servers: ReadonlyMap<string, Client>): Client {
  let primary: Promise<Client> | undefined
  return {
    async query(statement: string | PreparedStatement, values: unknown[] = []) {
      primary ??= findPrimary(servers)
      const found = primary
      try {
        return await run(await found, statement, values)
      } catch (error) {
        if (primary === found) primary = undefined
        throw error
      }
    },
  }
}

function run(
  client: Client,
  statement: string | PreparedStatement,
  values: unknown[],
): Promise<PostgresResult> {
  return typeof statement === 'string'
    ? client.query(statement, values)
    : client.query(statement)
}

/** Only the Patroni that holds the leader lock responds to `/primary` with 200. */
async function findPrimary(
  servers: ReadonlyMap<string, Client>,
): Promise<Client> {
  const asked = [...servers].map(async ([patroni, client]) => {
    const response = await fetch(`${patroni}/primary`, {
      signal: AbortSignal.timeout(2_000),
    })
    await response.body?.cancel()
    if (response.status !== 200) throw new Error('not the primary')
    return client
  })
  return Promise.any(asked).catch((cause: unknown) => {
    // SQLSTATE 08001: the store reports that it is not available (503).
    throw Object.assign(new Error('no server is the primary', { cause }), {
      code: '08001',
    })
  })
}
