/**
 * Runs every test that `npm test` leaves out. `npm run test:all -- runtimes` runs one step. With
 * `--short`, `vitest` leaves out what vitest.config.ts calls costly and what `npm test` runs in part,
 * `guides` leaves out Next.js, and `meetings` runs for a third of the time.
 *
 * | step | tests |
 * |---|---|
 * | `packages` | none: it only installs the packages of `test/integrations`, as every step does if they are missing |
 * | `vitest` | `test/integrations`: servers, processes, browsers, compilers; of the others, those that `npm test` shortens: five times the runs of each property, hostile requests on every mount |
 * | `types` | the types of `test/integrations` and of the examples |
 * | `build` | that the package can be built; the next steps use the build |
 * | `tarball` | the packed package in an empty folder, as ESM, as CommonJS, in Jest and in a bundle, in each Node that is supported |
 * | `runtimes` | the packed package in Node, Bun, Deno, workerd and Chromium, and their examples |
 * | `frameworks` | the packed package in Next.js and SvelteKit |
 * | `guides` | docs/frameworks.md with each framework, followed as a reader would, the program of the quick start, the programs of "Your customers' API keys" and the tests of "Test it", with the packed package |
 * | `meetings` | a minute of random programs in which all parts meet, on the memory store and SQLite |
 * | `projects` | the packed package in projects with tests of their own: node:test, Jest, Vitest, a workflow |
 */

import { parseArgs } from 'node:util'
import { withPostgres } from '../reliability/support/postgres-server.js'
import { installIntegrations } from './integrations.js'
import { runCommand } from './run-command.js'
import { runSteps } from './run-steps.js'

const script =
  (name: string, ...args: readonly string[]) =>
  () =>
    runCommand(process.execPath, [
      '--import',
      './tools/scripts/register-sources.ts',
      `tools/scripts/${name}`,
      ...args,
    ])

const { values, positionals } = parseArgs({
  options: { short: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const tests = { TEST_ALL: '1', ...(values.short && { TEST_SHORT: '1' }) }

await installIntegrations()
await runSteps(
  {
    packages() {},
    // No test kills this server, so it need not wait for its disk. Files that run at the same time
    // have held 111 connections, most of them idle in the pools of tests that have ended.
    vitest: () =>
      withPostgres(
        (url) => runCommand('vitest', ['run'], { env: { ...tests, DATABASE_URL: url } }),
        { fsync: 'off', max_connections: '500' },
      ),
    // The fast compiler. The other one checks the rest in `npm run check`, and these in an editor.
    async types() {
      for (const folder of ['test/integrations', 'examples'])
        await runCommand(process.execPath, ['node_modules/typescript-7/bin/tsc', '-p', folder])
    },
    build: () => runCommand('npm', ['run', 'build']),
    tarball: script('test-tarball.ts'),
    runtimes: script('test-runtimes.ts'),
    frameworks: script('test-frameworks.ts'),
    guides: script('test-guides.ts', ...(values.short ? ['--short'] : [])),
    projects: script('test-projects.ts'),
    meetings: () =>
      runCommand('npm', [
        'run',
        'prove',
        '--',
        'meetings',
        ...['--seconds', values.short ? '20' : '60', '--programs', '300', '--seed', '1'],
        ...['--variants', 'none'],
      ]),
  },
  positionals,
)
