/**
 * Runs every test. `npm run test:all -- runtimes` runs one step.
 *
 * | step | tests |
 * |---|---|
 * | `vitest` | all of `test/`: every hostile request on every mount, 10,000 runs of each property, PostgreSQL, MariaDB |
 * | `coverage` | that the tests of the core, what it uses and the rules run every line and branch |
 * | `types` | the types of `test/integrations` and of the examples |
 * | `build` | that the package can be built; the next steps use the build |
 * | `tarball` | the packed package in an empty folder, as ESM and CommonJS, in each Node that is supported |
 * | `runtimes` | the packed package in Node, Bun, Deno, workerd and Chromium, and their examples |
 * | `frameworks` | the packed package in Next.js and SvelteKit |
 * | `guides` | the pages "Getting started with …", followed as a reader would, the story of README.md and the programs of "Your customers' API keys", with the packed package |
 * | `meetings` | a minute of random programs in which all parts meet, on the memory store and SQLite |
 * | `projects` | the packed package in projects with tests of their own: node:test, Jest, Vitest, a workflow |
 */

import { withPostgres } from '../reliability/support/postgres-server.js'
import { installIntegrations } from './integrations.js'
import { runCommand } from './run-command.js'
import { runSteps } from './run-steps.js'

const script = (name: string) => () =>
  runCommand(process.execPath, [
    '--import',
    './tools/scripts/register-sources.ts',
    `tools/scripts/${name}`,
  ])

/** The tests of the files that `coverage` in vitest.config.ts lists. */
const folders = [
  'activity/',
  'auth/',
  'core/',
  'credentials/',
  'dialects/',
  'http/',
  'oauth/',
  'references/',
  'rules',
  'schema/',
  'use/',
]
const coveringTests = folders.map((name) => `test/${name}`)

await installIntegrations()
await runSteps(
  {
    vitest: () =>
      withPostgres((url) =>
        runCommand('vitest', ['run'], { env: { TEST_ALL: '1', DATABASE_URL: url } }),
      ),
    coverage: () => runCommand('vitest', ['run', '--coverage', ...coveringTests]),
    async types() {
      for (const folder of ['test/integrations', 'examples'])
        await runCommand('tsc', ['-p', folder])
    },
    build: () => runCommand('npm', ['run', 'build']),
    tarball: script('test-tarball.ts'),
    runtimes: script('test-runtimes.ts'),
    frameworks: script('test-frameworks.ts'),
    guides: script('test-guides.ts'),
    projects: script('test-projects.ts'),
    meetings: () =>
      runCommand('npm', [
        'run',
        'prove',
        '--',
        'meetings',
        ...['--seconds', '60', '--programs', '300', '--seed', '1', '--variants', 'none'],
      ]),
  },
  process.argv.slice(2),
)
