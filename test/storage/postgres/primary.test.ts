import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { routeToPrimary } from '../../../examples/route-to-primary.js'
import { createPostgresStore, type PreparedStatement } from '../../../src/storage/postgres.js'

const servers: Server[] = []
const key = { collection: 'c', id: 'a' }

afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** A Patroni and its PostgreSQL, which counts statements and fails them if it is not the primary. */
async function startMember(name: string) {
  const member = { name, isPrimary: false, statements: [] as unknown[] }
  const server = createServer((_, response) =>
    response.writeHead(member.isPrimary ? 200 : 503).end(),
  )
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = {
    async query(statement: string | PreparedStatement, values?: unknown[]) {
      member.statements.push(values === undefined ? statement : [statement, values])
      if (!member.isPrimary) throw Object.assign(new Error('read-only'), { code: '25006' })
      return { rows: [] }
    },
  }
  const { port } = server.address() as AddressInfo
  return { member, client, patroni: `http://127.0.0.1:${port}` }
}

async function startCluster() {
  const [one, two] = [await startMember('one'), await startMember('two')]
  const client = routeToPrimary(new Map([one, two].map((each) => [each.patroni, each.client])))
  return { one: one.member, two: two.member, records: createPostgresStore(client).records, client }
}

describe('routeToPrimary', () => {
  it('sends statements to the primary, with their values or prepared', async () => {
    const { one, two, client } = await startCluster()
    two.isPrimary = true
    await client.query('SELECT $1', [1])
    await client.query({ name: 'n', text: 'SELECT 1', values: [] })
    expect(one.statements).toEqual([])
    expect(two.statements).toEqual([
      ['SELECT $1', [1]],
      { name: 'n', text: 'SELECT 1', values: [] },
    ])
  })

  it('looks for the new primary after an error, and repeats no statement', async () => {
    const { one, two, records } = await startCluster()
    one.isPrimary = true
    await records.get(key)
    one.isPrimary = false
    two.isPrimary = true
    await expect(records.get(key)).rejects.toMatchObject({ status: 503 })
    expect([one.statements.length, two.statements.length]).toEqual([2, 0])
    await records.get(key)
    expect([one.statements.length, two.statements.length]).toEqual([2, 1])
  })

  it('rejects with 503 while no server is the primary', async () => {
    const { one, two, records } = await startCluster()
    await expect(records.get(key)).rejects.toMatchObject({ status: 503 })
    one.isPrimary = true
    await records.get(key)
    expect([one.statements.length, two.statements.length]).toEqual([1, 0])
  })
})
