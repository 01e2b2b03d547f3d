import { randomBytes } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresFolder } from '../../tools/reliability/support/postgres-binaries.js'
import {
  type PostgresServer,
  startPostgres,
} from '../../tools/reliability/support/postgres-server.js'
import { freePort } from '../../tools/reliability/support/server-process.js'
import { findBlocks, findLinks, readPage } from '../support/source/pages.js'
import { withFolder } from './support/command/run-command.js'
import {
  exampleFolder,
  followTenants,
  tenantsPage as page,
  prepareTenants,
} from './support/source/multi-tenant.js'
import { type Running, startProgramIn } from './support/source/program.js'
import { openPool } from './support/stores/backup-cases.js'

const wendy = { email: 'wendy@acme.example', password: 'correct horse' }

describe(page, () => {
  it('shows files as they are in the example', () => {
    const files = findBlocks(page).filter(({ file }) => file !== undefined)
    expect(files.length).toBeGreaterThan(1)
    for (const { file = '', text } of files) expect(text).toBe(readPage(join(exampleFolder, file)))
  })

  it('links every file of the example', () => {
    const sources = readdirSync(exampleFolder).filter((name) => name.endsWith('.ts'))
    const linked = findLinks(page).map(({ path }) => path)
    expect(linked).toEqual(expect.arrayContaining(sources.map((name) => join(exampleFolder, name))))
  })
})

/** The service of the page, in a folder and with a database of its own. */
interface Tenants {
  readonly folder: string
  readonly port: number
  readonly pool: pg.Pool
  /** Starts `server.ts`; it is killed at the end. */
  run(): Running
  post(path: string, body: object): Promise<Response>
}

describe.runIf(postgresFolder() !== undefined)(
  `the service of ${page}`,
  {
    timeout: 60_000,
  },
  () => {
    let server: PostgresServer
    beforeAll(async () => {
      server = await startPostgres()
    }, 60_000)
    afterAll(() => server.stop())

    const withTenants = (work: (tenants: Tenants) => Promise<void>): Promise<void> =>
      withFolder(async (folder) => {
        await prepareTenants(folder)
        const admin = openPool(server.url)
        const name = `tenants_${randomBytes(6).toString('hex')}`
        await admin.query(`CREATE DATABASE ${name}`).finally(() => admin.end())
        const url = server.url.replace(/postgres$/, name)
        const pool = openPool(url)
        const port = await freePort()
        const programs: Running[] = []
        try {
          await work({
            folder,
            port,
            pool,
            run() {
              const env = { DATABASE_URL: url, PORT: String(port) }
              const program = startProgramIn(folder, join(folder, 'server.ts'), env)
              programs.push(program)
              return program
            },
            post: (path, body) =>
              fetch(`http://127.0.0.1:${port}${path}`, {
                method: 'POST',
                headers: { 'content-type': 'application/json' },
                body: JSON.stringify(body),
              }),
          })
        } finally {
          for (const program of programs) program.kill()
          await pool.end()
        }
      })

    it('answers as the page shows, and passes the tests of the page', () =>
      withTenants(async ({ folder, port, run, pool }) => {
        await run().printed('http://localhost')
        expect(await followTenants(folder, port)).toBe(5)
        const { rows } = await pool.query(
          "SELECT encode(body, 'escape') FROM vaults.cofferkit_records",
        )
        const accesses = await pool.query('SELECT entry FROM accesses')
        const results = accesses.rows.map(({ entry }) => entry.result)
        expect([...new Set(results)].sort()).toEqual(['DENY', 'SUCCESS'])
        expect(rows.length).toBeGreaterThan(4)
        expect(accesses.rows.length).toBeGreaterThan(4)
        for (const text of ['sk-live-4711', 'Payments', 'Acme'])
          expect(JSON.stringify([rows, accesses.rows])).not.toContain(text)
      }))

    it('signs a tenant up completely or not at all', () =>
      withTenants(async ({ post, run, pool }) => {
        await run().printed('http://localhost')
        expect((await post('/sign-up', { tenant: 'Acme', ...wendy })).status).toBe(204)
        expect((await post('/sign-up', { tenant: 'Other', ...wendy })).status).toBe(409)
        expect((await post('/sign-up', { tenant: 'Other' })).status).toBe(400)
        const { rows } = await pool.query('SELECT name FROM tenants')
        expect(rows).toEqual([{ name: 'Acme' }])
        for (const [email, password, status] of [
          [wendy.email, 'x', 401],
          ['x', wendy.password, 401],
          ['', '', 400],
        ])
          expect((await post('/login', { email, password })).status).toBe(status)
      }))

    it('creates at the next login the vault that a crash has prevented', () =>
      withTenants(async ({ port, post, run, pool }) => {
        await run().printed('http://localhost')
        await post('/sign-up', { tenant: 'Acme', ...wendy })
        await pool.query('UPDATE tenants SET vault_id = NULL')
        const logins = await Promise.all([1, 2, 3].map(() => post('/login', wendy)))
        expect(logins.map(({ status }) => status)).toEqual([204, 204, 204])
        const { rows } = await pool.query('SELECT vault_id AS id FROM tenants')
        const headers = { cookie: cookieOf(logins[2]) }
        const listed = await fetch(`http://127.0.0.1:${port}/secrets/v1/vaults`, { headers })
        expect(await listed.json()).toMatchObject(rows)
      }))

    it('lists the entries of a tenant after calls from outside and after a user is removed', () =>
      withTenants(async ({ port, post, run, pool }) => {
        await run().printed('http://localhost')
        const cookie = cookieOf(await post('/sign-up', { tenant: 'Acme', ...wendy }))
        const carl = { email: 'carl@globex.example', password: 'battery staple' }
        const outside = cookieOf(await post('/sign-up', { tenant: 'Globex', ...carl }))
        const { rows } = await pool.query("SELECT vault_id AS id FROM tenants WHERE name = 'Acme'")
        const get = (path: string, headers: HeadersInit) =>
          fetch(`http://127.0.0.1:${port}${path}`, { headers })
        const path = `/secrets/v1/vaults/${rows[0].id}`
        expect((await get(path, {})).status).toBe(401)
        for (let i = 0; i < 201; i++)
          expect((await get(path, { cookie: outside })).status).toBe(403)
        const created = { who: wendy.email, operation: 'createVault', result: 'SUCCESS' }
        expect(await (await get('/audit', { cookie })).json()).toMatchObject([created])
        const rejected = await pool.query(
          'SELECT email, count(*)::int AS n FROM accesses WHERE vault_id = $1 GROUP BY 1 ORDER BY 1',
          [rows[0].id],
        )
        expect(rejected.rows).toEqual([
          { email: carl.email, n: 201 },
          { email: wendy.email, n: 1 },
          { email: null, n: 1 },
        ])

        const ann = { email: 'ann@acme.example', password: 'rubber duck' }
        await pool.query(
          `INSERT INTO users (tenant_id, email, password, role)
           SELECT tenant_id, $1, password, 'auditor' FROM users WHERE email = $2`,
          [ann.email, wendy.email],
        )
        const login = await post('/login', { ...wendy, email: ann.email })
        expect((await get(path, { cookie: cookieOf(login) })).status).toBe(200)
        await pool.query('DELETE FROM users WHERE email = $1', [ann.email])
        const read = { who: ann.email, operation: 'getVault', result: 'SUCCESS' }
        expect(await (await get('/audit', { cookie })).json()).toMatchObject([read, created])
      }))

    it('responds to an open request after SIGTERM and SIGINT, records it, and ends with 0', () =>
      withTenants(async ({ port, post, run, pool }) => {
        const program = run()
        await program.printed('http://localhost')
        const cookie = cookieOf(await post('/sign-up', { tenant: 'Acme', ...wendy }))
        const { rows } = await pool.query('SELECT vault_id AS id FROM tenants')
        const body = JSON.stringify({ vault: rows[0], category: 'LOGIN', tags: ['test'] })
        const socket = connect(port, '127.0.0.1')
        let response = ''
        socket.setEncoding('utf8').on('data', (text: string) => {
          response += text
        })
        const head = [
          `POST /secrets/v1/vaults/${rows[0].id}/items HTTP/1.1`,
          `Host: localhost\r\nCookie: ${cookie}`,
          `Content-Type: application/json\r\nContent-Length: ${body.length}`,
        ]
        socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 10)}`)
        await pause(300)
        process.kill(program.pid, 'SIGTERM')
        await expect.poll(() => isOpen(port)).toBe(false)
        for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT']) {
          process.kill(program.pid, signal)
          await pause(50)
        }
        socket.write(body.slice(10))
        expect(await program.ended).toMatchObject({ code: 0, stderr: '' })
        expect(response).toMatch(/^HTTP\/1\.1 200 /)
        const last = await pool.query('SELECT entry FROM accesses ORDER BY n DESC LIMIT 1')
        expect(last.rows).toMatchObject([{ entry: { operation: 'createItem', result: 'SUCCESS' } }])
      }))

    it('does not start with the wrong key', () =>
      withTenants(async ({ folder, post, run }) => {
        const first = run()
        await first.printed('http://localhost')
        await post('/sign-up', { tenant: 'Acme', ...wendy })
        process.kill(first.pid, 'SIGTERM')
        expect(await first.ended).toMatchObject({ code: 0, stderr: '' })
        writeFileSync(join(folder, 'vault.key'), `${'ab'.repeat(32)}\n`)
        const { code, stdout, stderr } = await run().ended
        expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
        expect(stderr).toBe('vault.key is not the key that the vaults were encrypted with\n')
      }))
  },
)

function cookieOf(response: Response | undefined): string {
  return response?.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

function isOpen(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}`).then(
    () => true,
    () => false,
  )
}
