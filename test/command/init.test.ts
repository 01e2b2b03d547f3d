import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { frameworkTemplates } from '../../src/command/init/frameworks.js'
import { runCommand, withFolder } from '../integrations/support/command/run-command.js'

const frameworks = Object.keys(frameworkTemplates)
const postgres = { DATABASE_URL: 'postgres://app@localhost/app' }

/** Runs `init` in a folder, by default without a DATABASE_URL. */
const init = (folder: string, parameters: readonly string[] = [], env = { DATABASE_URL: '' }) =>
  runCommand({ folder, env }, 'init', ...parameters)

function writePackage(folder: string, lists: object): void {
  writeFileSync(join(folder, 'package.json'), JSON.stringify(lists))
}

const written = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8')

describe('init', () => {
  it.each(frameworks)('writes modules for %s whose lines have at most 80 characters', (framework) =>
    withFolder(async (folder) => {
      expect(await init(folder, [framework])).toMatchObject({ code: 0, stderr: '' })
      const names = readdirSync(join(folder, 'vault')).sort()
      expect(names).toEqual([
        ...['keys.mjs', 'keys.test.mjs', 'server.mjs', 'settings.html', 'stand-in.mjs'],
        'worker.mjs',
      ])
      for (const name of ['cofferkit.config.mjs', ...names.map((each) => `vault/${each}`)]) {
        const text = written(folder, name)
        expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
        expect(text).not.toContain('\n\n\n')
      }
    }),
  )

  it('writes a configuration that closes the file, which the encrypted store leaves open', () =>
    withFolder(async (folder) => {
      await init(folder)
      expect(written(folder, 'cofferkit.config.mjs')).toContain('close: () => records.close(),')
    }))

  it('finds the framework and what is missing in package.json', () =>
    withFolder(async (folder) => {
      writePackage(folder, { dependencies: { cofferkit: '*', fastify: '*' } })
      const { stdout } = await init(folder)
      expect(stdout).toMatch(/^Written for fastify: /)
      expect(stdout).not.toContain('npm install')
      expect(stdout).toContain('  npx cofferkit keygen vault.key\n')
      const hono = await init(folder, ['hono', '--out', 'hono'])
      expect(hono.stdout).toContain('  npm install hono @hono/node-server\n')
    }))

  it('reads a package.json with a byte order mark', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'package.json'), '\uFEFF{ "dependencies": { "hono": "*" } }')
      expect((await init(folder)).stdout).toMatch(/^Written for hono: /)
    }))

  it('writes a test for Vitest if the project has it', () =>
    withFolder(async (folder) => {
      expect((await init(folder, ['node'])).stdout).toContain('  node --test vault/keys.test.mjs\n')
      expect(written(folder, 'vault/keys.test.mjs')).toContain("from 'node:test'")
      writePackage(folder, { devDependencies: { vitest: '*' } })
      const { stdout } = await init(folder, ['node', '--out', 'other'])
      expect(stdout).toContain('  npx vitest run other/keys.test.mjs\n')
      expect(written(folder, 'other/keys.test.mjs')).toContain("from 'vitest'")
    }))

  it.each([
    { what: 'by default', database: 'sqlite' },
    { what: 'with DATABASE_URL', env: postgres, database: 'postgres' },
    { what: 'with pg', lists: { dependencies: { pg: '*' } }, database: 'postgres' },
    { what: 'with --database', parameters: ['--database', 'postgres'], database: 'postgres' },
    {
      what: 'with another DATABASE_URL',
      env: { DATABASE_URL: 'mysql://app@localhost/app' },
      database: 'sqlite',
    },
  ])('uses $database $what', ({ env, lists = {}, parameters = [], database }) =>
    withFolder(async (folder) => {
      writePackage(folder, lists)
      const { stdout } = await init(folder, parameters, env)
      expect(written(folder, 'cofferkit.config.mjs')).toContain(`from 'cofferkit/${database}'`)
      const isPostgres = database === 'postgres'
      expect(stdout).toContain(isPostgres ? 'with PostgreSQL, encrypted' : 'with a SQLite file')
      expect(stdout.includes('vault.key out of')).toBe(isPostgres)
      expect(stdout.includes('export DATABASE_URL=')).toBe(isPostgres && env === undefined)
    }),
  )

  it('uses a configuration that exists, and asks for no key', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'cofferkit.config.js'), 'mine')
      const { stdout } = await init(folder, ['node', '--out', 'src/secrets'])
      expect(stdout).toContain('cofferkit.config.js, which existed already')
      expect(stdout).not.toContain('keygen')
      expect(written(folder, 'src/secrets/keys.mjs')).toContain(
        "import('../../cofferkit.config.js')",
      )
      expect(readdirSync(folder).sort()).toEqual(['cofferkit.config.js', 'src'])
    }))

  it('asks for no key if there is one', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'vault.key'), 'mine')
      expect((await init(folder, ['node'])).stdout).not.toContain('keygen')
    }))

  it('overwrites nothing, and then writes nothing', () =>
    withFolder(async (folder) => {
      mkdirSync(join(folder, 'vault'))
      writeFileSync(join(folder, 'vault/worker.mjs'), 'mine')
      const { code, stderr } = await init(folder, ['node'])
      expect(code).toBe(2)
      expect(stderr).toBe(
        'error: vault/worker.mjs exists already\nName another folder with --out.\n',
      )
      expect(readdirSync(folder)).toEqual(['vault'])
      expect(readdirSync(join(folder, 'vault'))).toEqual(['worker.mjs'])
    }))

  it('says which file cannot be written', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'vault'), 'a file')
      const { code, stderr } = await init(folder, ['node'])
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: 'error: vault/keys.mjs cannot be written: EEXIST\n',
      })
    }))

  it.each([
    [['koa'], 'FRAMEWORK must be express, fastify, hono or node'],
    [['__proto__'], 'FRAMEWORK must be express, fastify, hono or node'],
    [['node', '--database', 'mysql'], '--database must be sqlite or postgres'],
    [['node', '--out', '.'], '--out must be a folder in the current project'],
    [['node', '--out', '../other'], '--out must be a folder in the current project'],
  ])('rejects %j', (parameters, message) =>
    withFolder(async (folder) => {
      const { code, stderr } = await init(folder, parameters)
      expect({ code, stderr }).toEqual({ code: 2, stderr: `error: ${message}\n` })
      expect(readdirSync(folder)).toEqual([])
    }),
  )
})
