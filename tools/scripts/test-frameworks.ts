/** Builds the examples of Next.js and SvelteKit with the packed package, serves and visits them. */

import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { transformSync } from 'esbuild'
import { visit } from '../../examples/visit.js'
import { packageFolder, programPath } from './integrations.js'
import { root, runCommand } from './run-command.js'
import { startServer } from './runtimes/server.js'
import { withConsumer } from './tarball.js'

interface Framework {
  /** The name of the example, without its extension. */
  readonly name: string
  /** The path that the framework requires for the example's file. */
  readonly route: string
  readonly packages: readonly string[]
  /** One of `node_modules/.bin`. */
  readonly program: string
  readonly build: readonly string[]
  readonly serve: readonly string[]
  prepare(cwd: string): void
}

Object.assign(process.env, { NEXT_TELEMETRY_DISABLED: '1', NO_COLOR: '1' })
const token = 'secret-token'
const pattern = /(http:\/\/127\.0\.0\.1:\d+)/

const frameworks: readonly Framework[] = [
  {
    name: 'next',
    route: 'app/secrets/[...path]/route.ts',
    packages: ['next', 'react', 'react-dom'],
    program: 'next',
    build: ['build'],
    serve: ['start', '--hostname', '127.0.0.1', '--port', '0'],
    prepare: prepareNext,
  },
  {
    name: 'sveltekit',
    route: 'src/routes/secrets/[...path]/+server.ts',
    packages: ['svelte', '@sveltejs/kit', '@sveltejs/vite-plugin-svelte', 'vite'],
    program: 'vite',
    build: ['build', '--logLevel', 'error'],
    serve: ['preview', '--host', '127.0.0.1', '--port', '0'],
    prepare: (cwd) => cpSync(join(root, 'test/frameworks/sveltekit'), cwd, { recursive: true }),
  },
]

await withConsumer(async (consumer) => {
  for (const framework of frameworks) {
    const start = performance.now()
    await visitExample(framework, consumer)
    console.log(`examples/${framework.name}.ts: good, ${Math.round(performance.now() - start)} ms`)
  }
})

async function visitExample(framework: Framework, consumer: string): Promise<void> {
  const { name, route, packages, program, build, serve, prepare } = framework
  for (const each of packages) link(each, join(consumer, 'node_modules'))
  const cwd = join(consumer, name)
  cpSync(join(root, 'examples', `${name}.ts`), join(cwd, route))
  writeFileSync(join(cwd, 'package.json'), '{ "private": true, "type": "module" }\n')
  prepare(cwd)

  // The build has no secret.
  await runCommand(program, build, { cwd })
  const sha256 = createHash('sha256').update(token).digest('hex')
  const env = { ...process.env, TOKEN_SHA256: sha256 }
  const { found: origin, stop } = await startServer(programPath(program), serve, {
    cwd,
    env,
    pattern,
  })
  try {
    await visit(`${origin}/secrets`, token)
  } finally {
    await stop()
  }
}

/** Links the project's copy of a package, so that nothing is downloaded. */
function link(name: string, folder: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  symlinkSync(packageFolder(name), join(folder, name))
}

/** Next.js would download a compiler and types for TypeScript, and rejects links out of its root. */
function prepareNext(cwd: string): void {
  const route = join(cwd, 'app/secrets/[...path]/route')
  const { code } = transformSync(readFileSync(`${route}.ts`, 'utf8'), { loader: 'ts' })
  writeFileSync(`${route}.js`, code)
  rmSync(`${route}.ts`)
  writeFileSync(join(cwd, 'next.config.mjs'), `export default { turbopack: { root: '/' } }\n`)
}
