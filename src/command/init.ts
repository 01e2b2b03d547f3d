/** The command `init`: writes a first service and its configuration into the current project. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { buildCommand } from '@stricli/core'
import { CommandError } from './command-error.js'
import { type CommandLine, print } from './command-line.js'
import { findConfig } from './store/store-flags.js'

/** Writes a first service into the current project. */
export const initCommand = buildCommand<
  { readonly out: string },
  [framework?: string],
  CommandLine
>({
  func: init,
  parameters: {
    flags: {
      out: {
        kind: 'parsed',
        parse: String,
        default: 'vault.mjs',
        placeholder: 'FILE',
        brief: 'The file to write, which must not exist',
      },
    },
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'express, fastify, hono or node; the one of package.json if absent',
          placeholder: 'FRAMEWORK',
          parse: String,
          optional: true,
        },
      ],
    },
  },
  docs: {
    brief: 'Write a first service for express, fastify, hono or node into this project',
    fullDescription: [
      'Writes vault.mjs, which runs a vault with your framework and a token, and',
      'cofferkit.config.mjs with its store, a SQLite file, which the other commands open, too.',
      'Nothing is overwritten and nothing is installed: it prints what to run.',
    ].join('\n'),
  },
})

/** Writes the service, and prints what to run next. */
async function init(
  this: CommandLine,
  { out }: { readonly out: string },
  given?: string,
): Promise<void> {
  const folder = this.process.cwd()
  const dependencies = readDependencies(folder)
  const framework = given ?? findFramework(dependencies)
  if (!isFramework(framework))
    throw new CommandError('FRAMEWORK must be express, fastify, hono or node')
  if (!/\.m?[jt]s$/.test(out)) throw new CommandError('--out must end with .mjs, .js, .mts or .ts')
  const path = resolve(folder, out)
  if (existsSync(path))
    throw new CommandError(`${out} exists already`, 'Name another file with --out.')
  const existing = findConfig(folder)
  const config = existing ?? `cofferkit.config.${out.endsWith('ts') ? 'ts' : 'mjs'}`
  const configImport = toSpecifier(relative(dirname(path), resolve(folder, config)))
  writeFile(path, out, formatService(framework, configImport))
  if (existing === undefined) writeFile(resolve(folder, config), config, configText)
  const packages = ['cofferkit', ...frameworkPackages[framework]]
  const missing = packages.filter((name) => !dependencies.includes(name))
  print(this, `${out} was written: a vault for ${framework}, whose store is in ${config}. Next:\n`)
  if (missing.length > 0) print(this, `  npm install ${missing.join(' ')}`)
  const { createToken } = await import('../auth/tokens.js')
  const { token } = await createToken()
  print(this, `  TOKEN=${token} node ${out}`)
  print(this, `  curl -H "Authorization: Bearer ${token}" http://127.0.0.1:8080/v1/vaults`)
}

function writeFile(path: string, name: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx' })
  } catch (error) {
    throw new CommandError(`${name} cannot be written: ${Object(error).code ?? 'unknown'}`)
  }
}

function toSpecifier(path: string): string {
  const slashed = path.replaceAll('\\', '/')
  return slashed.startsWith('.') ? slashed : `./${slashed}`
}

function isFramework(name: string): name is Framework {
  return Object.hasOwn(frameworkPackages, name)
}

function findFramework(dependencies: readonly string[]): string {
  return ['express', 'fastify', 'hono'].find((name) => dependencies.includes(name)) ?? 'node'
}

/** Returns the names in `dependencies` of package.json; none if the file does not exist. */
function readDependencies(folder: string): readonly string[] {
  try {
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return Object.keys(Object(dependencies))
  } catch {
    return []
  }
}

/** A framework for which `init` has a service. */
type Framework = 'express' | 'fastify' | 'hono' | 'node'

/** The frameworks, and the packages that their services import. */
export const frameworkPackages: Readonly<Record<Framework, readonly string[]>> = {
  express: ['express'],
  fastify: ['fastify'],
  hono: ['hono', '@hono/node-server'],
  node: [],
}

const imports: Readonly<Record<Framework, readonly string[]>> = {
  express: [
    "import { createExpressHandler } from 'cofferkit/express'",
    "import express from 'express'",
  ],
  fastify: [
    "import { createFastifyPlugin } from 'cofferkit/fastify'",
    "import Fastify from 'fastify'",
  ],
  hono: [
    "import { serve } from '@hono/node-server'",
    "import { createHonoHandler } from 'cofferkit/hono'",
    "import { Hono } from 'hono'",
  ],
  node: [
    "import { createServer } from 'node:http'",
    "import { createNodeListener } from 'cofferkit/node'",
  ],
}

const servers: Readonly<Record<Framework, string>> = {
  express: `const app = express()
// Before a body parser of the app. With a prefix: app.use('/secrets', …)
app.use(createExpressHandler(handler))
const server = app.listen(port, '127.0.0.1', ready)
const stop = () => new Promise((resolve) => server.close(resolve))`,
  fastify: `const app = Fastify()
// With a prefix: app.register(…, { prefix: '/secrets' })
app.register(createFastifyPlugin(handler))
await app.listen({ port, host: '127.0.0.1' })
ready()
const stop = () => app.close()`,
  hono: `const app = new Hono()
// With a prefix: app.all('/secrets/*', …) and basePath: '/secrets' of createHttpHandler
app.all('/*', createHonoHandler(handler))
const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, ready)
const stop = () => new Promise((resolve) => server.close(resolve))`,
  node: `const server = createServer(createNodeListener(handler))
server.listen(port, '127.0.0.1', ready)
const stop = () => new Promise((resolve) => server.close(resolve))`,
}

/** The text of the configuration. */
const configText = `// The store of this project. The service and the commands of npx cofferkit both open it with this.
import { join } from 'node:path'
import { openSqliteStore } from 'cofferkit/sqlite'

// Encrypt it with createEncryptedStore of cofferkit/encrypted, or use your own database.
const store = await openSqliteStore(join(import.meta.dirname, 'vault.db'))

export default { store }
`

/** Returns the text of the service of a framework: a module that Node runs without a build. */
function formatService(framework: Framework, configImport: string): string {
  return `// A secrets vault for 1Password Connect clients. Run it: TOKEN=… node vault.mjs
import { createCaller, createVaultService } from 'cofferkit'
import { connectDialect } from 'cofferkit/connect'
import { bearerAuth, createHttpHandler } from 'cofferkit/http'
import { createTokenAuthenticator, hashToken } from 'cofferkit/tokens'
${imports[framework].join('\n')}
import config from '${configImport}'

const { TOKEN: token = '', PORT = '8080' } = process.env
if (token.length < 20) throw new Error('set TOKEN to 20 or more characters: npx cofferkit token')
const port = Number(PORT)

const { store, close } = typeof config === 'function' ? await config() : config
const service = createVaultService({ store, dialect: connectDialect })

const admin = createCaller('admin', '*')
const [first] = await service.listVaults(admin, {})
const vault = first ?? (await service.createVault(admin, { name: 'Default' }))

// One token, for one vault. Your own login goes here: see docs/authentication.md of cofferkit.
const tokens = [
  { id: 'deploy', sha256: await hashToken(token), vaults: { [vault.id]: 'read-write' } },
]
const handler = createHttpHandler(service, {
  authenticate: bearerAuth(createTokenAuthenticator({ tokens })),
})

const ready = () => console.log(\`http://127.0.0.1:\${port}/v1/vaults/\${vault.id}/items\`)
${servers[framework]}

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, async () => {
    await stop()
    await service.close()
    await store.close?.()
    await close?.()
  })
`
}
