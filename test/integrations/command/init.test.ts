import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { frameworkTemplates } from '../../../src/command/init/frameworks.js'
import { postgresFolder } from '../../../tools/reliability/support/postgres-binaries.js'
import { startPostgres } from '../../../tools/reliability/support/postgres-server.js'
import { freePort } from '../../../tools/reliability/support/server-process.js'
import { entryPoints } from '../../../tools/scripts/entry-points.js'
import { programPath } from '../../../tools/scripts/integrations.js'
import { runCommand, startCommand, withFolder } from '../support/command/run-command.js'
import { bundleFlags } from '../support/source/bundle.js'
import { plainEnv } from '../support/source/program.js'

const root = join(import.meta.dirname, '../../..')
const key = 'sk_test_0123456789abcdWXYZ'

/** A project in which `init` was run. */
interface Project {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}

/** Runs a program of the project to its end. */
function run({ folder, env }: Project, ...parameters: readonly string[]) {
  const { ended } = start({ folder, env }, parameters)
  return ended
}

function start({ folder, env }: Project, parameters: readonly string[]) {
  const child = spawn(process.execPath, [...bundleFlags, ...parameters], {
    cwd: folder,
    env: { ...plainEnv(), NODE_ENV: 'development', ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const ended = new Promise<{ code: number | null; output: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, output })),
  )
  const first = new Promise<string>((resolve) => child.stdout.once('data', resolve))
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, ended, first: Promise.race([first, ended.then((end) => end.output)]) }
}

/** Does with the written project what its printed commands say, over a real socket. */
async function useProject(project: Project, isListed: boolean): Promise<void> {
  const { folder, env } = project
  const standIn = ['--import', './vault/stand-in.mjs']
  const keygen = await runCommand({ folder }, 'keygen', 'vault.key')
  expect(keygen.code).toBe(0)
  const server = start(project, [...standIn, 'vault/server.mjs'])
  const origin = (await server.first).trim()
  expect(origin).toBe(`http://localhost:${env['PORT']}`)

  const headers = { connection: 'close' }
  const get = async (path: string) => await fetch(`${origin}${path}`, { headers })
  const put = (value: string) =>
    fetch(`${origin}/api/credentials/stripe`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ key: value }),
    })
  const page = await get('/')
  expect(page.headers.get('content-type')).toMatch(/^text\/html/)
  expect(await page.text()).toBe(readFileSync(join(folder, 'vault/settings.html'), 'utf8'))
  const none = await get('/api/credentials/stripe')
  expect(await none.json()).toMatchObject({ status: 404, message: expect.any(String) })
  expect((await put('sk_wrong')).status).toBe(422)
  const view = { status: 'ok', fields: { key: { isSet: true, hint: '…WXYZ' } } }
  expect(await (await put(key)).json()).toMatchObject(view)
  expect(await (await get('/api/credentials/stripe')).json()).toMatchObject(view)

  const worker = await run(project, ...standIn, 'vault/worker.mjs')
  expect(worker.code).toBe(0)
  const [response, use, ...others] = worker.output.split('\n')
  expect(response).toBe('200 {"available":4200,"echo":"Bearer [secret]"}')
  expect(use).toMatch(/^\S+ worker useField SUCCESS http:\/\/localhost:\d+$/)
  expect(others.join('\n')).toContain('acme saveCredential SUCCESS')

  server.child.kill('SIGTERM')
  expect(await server.ended).toEqual({ code: 0, output: `${origin}\n` })
  if (!isListed) return
  const activity = await startCommand({ folder, env }, 'activity')
  expect(activity.stdout).toContain('useField caller=worker')
  expect(readFileSync(join(folder, 'vault.db')).includes(key)).toBe(false)
}

async function withProject(
  parameters: readonly string[],
  env: Readonly<Record<string, string>>,
  work: (project: Project) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const written = await runCommand({ folder }, 'init', ...parameters)
    expect(written).toMatchObject({ code: 0, stderr: '' })
    const ports = [await freePort(), await freePort()]
    const [PORT = '', standIn = ''] = ports.map(String)
    await work({ folder, env: { PORT, STRIPE_URL: `http://localhost:${standIn}`, ...env } })
  })
}

describe('init', () => {
  it.each(Object.keys(frameworkTemplates))(
    'writes a project for %s whose page saves a key that its worker uses',
    (framework) =>
      withProject([framework, '--database', 'sqlite'], {}, (project) => useProject(project, true)),
  )

  it('writes a project whose tests pass, without a key or a database', () =>
    withProject(['node', '--database', 'postgres'], { DATABASE_URL: '' }, async (project) => {
      const { code, output } = await run(project, '--test', 'vault/keys.test.mjs')
      expect(output).toMatch(/pass 3\n/)
      expect(code).toBe(0)
    }))

  it('writes tests that pass with Vitest', () =>
    withFolder(async (folder) => {
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
      const devDependencies = { vitest: '*' }
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ devDependencies }))
      await runCommand({ folder }, 'init', 'node')
      // The packed package would be found in node_modules.
      const alias = entryPoints()
        .map(({ specifier, source }) => ({ find: specifier, replacement: join(root, source) }))
        .sort((one, other) => other.find.length - one.find.length)
      const config = `export default ${JSON.stringify({ resolve: { alias } })}`
      writeFileSync(join(folder, 'vitest.config.mjs'), config)
      const env = { STRIPE_URL: `http://localhost:${await freePort()}` }
      const project = { folder, env: { ...env, VITEST: '' } }
      const { code, output } = await run(project, programPath('vitest'), 'run')
      expect(output).toContain('3 passed')
      expect(code).toBe(0)
    }))

  it('writes a page that refuses to run in production before it has a login', () =>
    withProject(['node'], { NODE_ENV: 'production' }, async (project) => {
      const { code, output } = await run(project, 'vault/server.mjs')
      expect(code).toBe(1)
      expect(output).toContain('Error: Put your login into vault/server.mjs first')
    }))

  it('writes a configuration that asks for DATABASE_URL', () =>
    withProject(['node', '--database', 'postgres'], { DATABASE_URL: '' }, async (project) => {
      const { code, output } = await run(project, 'vault/worker.mjs')
      expect(code).toBe(1)
      expect(output).toContain('Error: Set DATABASE_URL, such as postgres://user@localhost/app')
    }))

  it('opens a configuration that is a function', () =>
    withFolder(async (folder) => {
      mkdirSync(join(folder, 'node_modules'))
      for (const name of ['cofferkit']) symlinkSync(root, join(folder, 'node_modules', name))
      const text = `import { openSqliteStore } from 'cofferkit/sqlite'
export default async () => ({ store: await openSqliteStore('own.db') })\n`
      writeFileSync(join(folder, 'cofferkit.config.mjs'), text)
      await runCommand({ folder }, 'init', 'node')
      const { code, output } = await run({ folder, env: {} }, 'vault/worker.mjs')
      expect({ code, output }).toMatchObject({
        code: 0,
        output: expect.stringMatching(/^403 .*NOT_FOUND/),
      })
    }))

  it.runIf(postgresFolder() !== undefined)('writes a project that runs on PostgreSQL', async () => {
    const server = await startPostgres()
    onTestFinished(() => server.stop())
    const env = { DATABASE_URL: server.url }
    await withProject(['express', '--database', 'postgres'], env, (project) =>
      useProject(project, false),
    )
  })
})
