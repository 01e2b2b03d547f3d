import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blobStoreContract, recordStoreContract } from '../../../../src/testing.js'
import { findBlocks, readPage } from '../../../support/source/pages.js'
import { runText } from '../../support/source/program.js'
import { createTestSchema, databaseUrl, skippedSuffix } from '../../support/stores/postgres.js'
import { type GeneratedPrisma, generatePrisma } from '../../support/stores/prisma-client.js'
import { type DriverReport, raisedCodes } from '../../support/stores/run-driver.js'
import { startWebSocketProxy, type WebSocketProxy } from '../../support/stores/websocket-proxy.js'

const page = 'docs/postgres.md'
const drivers = ['Drizzle', 'Knex', 'Kysely', 'Neon', 'postgres.js', 'Prisma'] as const
type Driver = (typeof drivers)[number]

const unreachable = 'postgres://postgres@127.0.0.1:1/postgres'
const load = `import { runDriver, runUnreachable } from './support/stores/run-driver.js'\n`
let proxy: WebSocketProxy | undefined
let prisma: GeneratedPrisma | undefined

/** The code block below the driver's heading. */
function blockOf(driver: Driver): string {
  const [, section = ''] = readPage(page).split(`\n### ${driver}\n`)
  return /^```ts\n([\s\S]*?)^```$/m.exec(section)?.[1] ?? ''
}

/** Runs the driver's block, and then `call`, in a process of its own. */
async function runBlock(driver: Driver, url: string, call: string): Promise<unknown> {
  const before = { Neon: neonSettings(), Prisma: prismaClient() }
  const block =
    driver === 'Prisma' ? blockOf(driver).replace(/^declare const[\s\S]*/m, '') : blockOf(driver)
  const { stdout, stderr } = await runText(
    `${load}${Object.entries(before).find(([name]) => name === driver)?.[1] ?? ''}${block}\n${call}`,
    {
      DATABASE_URL: url,
    },
  )
  // Drivers print to stdout, too.
  const [, report] = /^report: (.*)$/m.exec(stdout) ?? []
  if (report === undefined) throw new Error(stdout + stderr)
  return JSON.parse(report)
}

/** The proxy has no TLS, and the server requests no password. */
function neonSettings(): string {
  return `import { neonConfig } from '@neondatabase/serverless'
neonConfig.wsProxy = (host, port) => Number(port) === 1 ? host + ':' + port : '127.0.0.1:${proxy?.port}'
neonConfig.useSecureWebSocket = false
neonConfig.forceDisablePgSSL = true
neonConfig.pipelineConnect = false
`
}

function prismaClient(): string {
  return `import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from '${prisma?.path}'
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: process.env['DATABASE_URL'] }) })
`
}

describe(`drivers of ${page}${skippedSuffix}`, () => {
  it('have a code block each', () => {
    const headings = [...readPage(page).matchAll(/^### (.*)$/gm)].map(([, heading]) => heading)
    expect(headings).toEqual(expect.arrayContaining([...drivers]))
    for (const driver of drivers) expect(blockOf(driver)).toContain('const client')
  })
})

describe.runIf(databaseUrl !== undefined)(`first sample of ${page}`, () => {
  it('runs on an empty schema, and again', async () => {
    const { schema, remove } = await createTestSchema()
    const url = new URL(databaseUrl ?? '')
    url.searchParams.set('options', `-c search_path=${schema}`)
    const [sample] = findBlocks(page)
    const ended = { code: 0, stdout: 'Team\n', stderr: '' }
    try {
      for (const _ of [1, 2])
        expect(await runText(sample?.text ?? '', { DATABASE_URL: url.href })).toEqual(ended)
    } finally {
      await remove()
    }
  })
})

describe.runIf(databaseUrl !== undefined)(`drivers of ${page}`, { timeout: 120_000 }, () => {
  const url = databaseUrl ?? ''
  beforeAll(async () => {
    proxy = await startWebSocketProxy(url)
    prisma = generatePrisma()
  }, 60_000)
  afterAll(() => {
    proxy?.close()
    prisma?.remove()
  })

  it.each(drivers)('%s passes the contracts, and keeps the codes of errors', async (driver) => {
    const options = /createPostgresStore\(client(?:, (.*))?\)/.exec(blockOf(driver))?.[1] ?? '{}'
    const report = await runBlock(driver, url, `await runDriver(client, ${options})`)
    const expected: DriverReport = {
      failures: [],
      cases: recordStoreContract.length + blobStoreContract.length,
      codes: raisedCodes,
      lostConnection: 503,
    }
    expect(report).toEqual(expected)
  })

  it.each(drivers)('%s rejects with 503 when the server does not respond', async (driver) => {
    expect(await runBlock(driver, unreachable, 'await runUnreachable(client)')).toBe(503)
  })
})
