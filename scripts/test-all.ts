/**
 * Runs every test. `npm run test:all -- runtimes` runs one step.
 *
 * | step | tests |
 * |---|---|
 * | `vitest` | all of `test/`: every hostile request on every mount, 10,000 runs of each property, PostgreSQL, MariaDB |
 * | `build` | that the package can be built; the next steps use the build |
 * | `tarball` | the packed package in an empty folder, as ESM and CommonJS, in each Node that is supported |
 * | `runtimes` | the packed package in Node, Bun, Deno, workerd and Chromium, and their examples |
 * | `frameworks` | the packed package in Next.js and SvelteKit |
 * | `guides` | the pages "Getting started with …", followed as a reader would with the packed package |
 * | `projects` | the packed package in projects with tests of their own: node:test, Jest, Vitest, a workflow |
 */

import { withPostgres } from '../reliability/support/postgres-server.js'
import { runCommand } from './run-command.js'
import { runSteps } from './run-steps.js'

const script = (name: string) => () =>
  runCommand(process.execPath, ['--import', './scripts/register-sources.ts', `scripts/${name}`])

await runSteps(
  {
    vitest: () =>
      withPostgres((url) =>
        runCommand('vitest', ['run'], { env: { TEST_ALL: '1', DATABASE_URL: url } }),
      ),
    build: () => runCommand('npm', ['run', 'build']),
    tarball: script('test-tarball.ts'),
    runtimes: script('test-runtimes.ts'),
    frameworks: script('test-frameworks.ts'),
    guides: script('test-guides.ts'),
    projects: script('test-projects.ts'),
  },
  process.argv.slice(2),
)
