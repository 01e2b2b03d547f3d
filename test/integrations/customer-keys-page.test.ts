import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKeyFile } from '../../src/storage/encrypted.js'
import { postgresFolder } from '../../tools/reliability/support/postgres-binaries.js'
import {
  type PostgresServer,
  startPostgres,
} from '../../tools/reliability/support/postgres-server.js'
import { freePort } from '../../tools/reliability/support/server-process.js'
import { compareAnswer, startShell } from '../../tools/scripts/guide-shell.js'
import { packageFolder } from '../../tools/scripts/integrations.js'
import { type GuideStep, readGuide } from '../../tools/scripts/read-guide.js'
import { findBlocks, readPage } from '../support/source/pages.js'
import { withFolder } from './support/command/run-command.js'
import { type Running, startProgramIn } from './support/source/program.js'

const page = 'docs/customer-keys.md'
const exampleFolder = 'examples/customer-keys-postgres'
const keys = { openai: 'sk-proj-0123456789abcdABCD', stripe: 'sk_test_0123456789abcdWXYZ' }

describe(page, () => {
  it('shows the files of the example, and all of them', () => {
    const files = findBlocks(page).filter(({ file }) => file !== undefined)
    expect(files.map(({ file }) => file).sort()).toEqual(readdirSync(exampleFolder).sort())
    for (const { file = '', text } of files) expect(text).toBe(readPage(join(exampleFolder, file)))
  })

  it('has at most 900 words', () => {
    const prose = readPage(page).replaceAll(/^```[\s\S]*?^```$/gm, '')
    expect(prose.split(/\s+/).length).toBeLessThanOrEqual(900)
  })
})

/** A request that a stand-in has received. */
interface Received {
  readonly path: string
  readonly authorization: string
}

/** Stands for OpenAI and Stripe, which share a port here. It accepts one key for each. */
async function startApis() {
  const received: Received[] = []
  const bodies: Readonly<Record<string, readonly [key: string, body: object]>> = {
    '/v1/models': [
      keys.openai,
      { object: 'list', data: Array.from({ length: 62 }, (_, id) => ({ id, object: 'model' })) },
    ],
    '/v1/balance': [
      keys.stripe,
      { object: 'balance', available: [{ amount: 4200, currency: 'usd' }] },
    ],
  }
  const server = createServer((request, response) => {
    const { url: path = '', headers } = request
    const { authorization = '' } = headers
    received.push({ path, authorization })
    const [key, body] = bodies[path] ?? []
    const isAccepted = authorization === `Bearer ${key}`
    response.writeHead(isAccepted ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isAccepted ? body : { error: { message: 'unknown key' } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { received, origin: `http://127.0.0.1:${port}`, server }
}

/** A module that sends requests for the two APIs to the stand-ins. */
const routeText = (origin: string) => `const platform = globalThis.fetch
globalThis.fetch = (input, init) =>
  platform(String(input).replace(/^https:\\/\\/api\\.(?:openai|stripe)\\.com/, '${origin}'), init)
`

describe.runIf(postgresFolder() !== undefined)(`a reader of ${page}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  it('gets what the page shows, and no key is in the database', () =>
    withFolder(async (folder) => {
      const apis = await startApis()
      writeFileSync(join(folder, 'route.mjs'), routeText(apis.origin))
      const route = pathToFileURL(join(folder, 'route.mjs')).href
      const port = String(await freePort())
      const env = { DATABASE_URL: server.url, PORT: port, NODE_OPTIONS: `--import ${route}` }
      const shell = startShell(folder, port)
      const programs: Running[] = []
      let answers = 0

      const start = (text: string) => {
        const program = startProgramIn(folder, join(folder, text.trim().split(' ')[1] ?? ''), env)
        programs.push(program)
        return program
      }
      const doStep = async (step: GuideStep) => {
        if (step.kind === 'file') return writeFileSync(join(folder, step.name), step.text)
        if (step.text.startsWith('mkdir ')) return install(step.text, folder)
        if (step.text === 'node server.ts\n') return void (await start(step.text).printed(port))
        const output = step.text.startsWith('node ')
          ? (await start(step.text).ended).stdout
          : await shell.run(step.text)
        if (step.answer === undefined) return
        compareAnswer(page, step.answer, output)
        answers++
      }

      try {
        for (const step of readGuide(page)) await doStep(step)
      } finally {
        shell.close()
        for (const program of programs) program.kill()
        apis.server.close()
      }
      expect(answers).toBe(5)
      const saved = [
        { path: '/v1/models', authorization: `Bearer ${keys.openai}` },
        { path: '/v1/balance', authorization: `Bearer ${keys.stripe}` },
      ]
      const refused = { path: '/v1/balance', authorization: 'Bearer sk_test_wrong' }
      expect(apis.received).toEqual([...saved, refused, ...saved])
      await expectCiphertext(server.url)
    }))
})

/** Does what the page says, with the packages of this project. */
async function install(text: string, folder: string): Promise<void> {
  const [, names = ''] = /^npm install (.*)$/m.exec(text) ?? []
  expect(names).toContain('openai')
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  mkdirSync(join(folder, 'node_modules'))
  for (const name of names.split(' ').filter((each) => each !== 'cofferkit'))
    symlinkSync(packageFolder(name), join(folder, 'node_modules', name))
  await createKeyFile(join(folder, 'vault.key'))
}

async function expectCiphertext(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query(
    "SELECT encode(body, 'escape') AS body FROM vaults.cofferkit_records",
  )
  await client.end()
  expect(rows.length).toBeGreaterThan(5)
  for (const key of Object.values(keys)) expect(JSON.stringify(rows)).not.toContain(key.slice(0, 8))
}
