import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { shortenErrors } from './test/support/shorten-errors.ts'
import { findImporters } from './test/support/source/importers.ts'

/** Set in the processes that test the mutants of `npm run mutation`. */
const isMutationRun = process.env['STRYKER_MUTATOR_WORKER'] !== undefined

const setUpFile = 'test/support/set-up-file.ts'

/** Tests that mutants are run against. Properties only where nothing else detects a mutant. */
const mutation = {
  include: [
    'test/{activity,auth,contract,core,schema,dialects}/**/*.test.ts',
    'test/http/activity.test.ts',
    'test/wrong-calls.test.ts',
  ],
  exclude: [
    'test/core/patch/apply-patch*.property.test.ts',
    'test/core/items/create-item.property.test.ts',
    'test/auth/jwt.property.test.ts',
  ],
  setupFiles: [setUpFile, 'test/support/arbitraries/short-properties.ts'],
}

/** True in `npm run test:all`, whose tests wait for servers, browsers and processes. */
const runsAll = process.env['TEST_ALL'] === '1'

/** True for `npm run test:all -- vitest --short`. */
const isShort = process.env['TEST_SHORT'] === '1'

/**
 * Tests that `--short` leaves out, because they take long and a change of the library seldom breaks
 * them alone: those that need a browser or a server other than PostgreSQL, those of drivers, other
 * packages and tools, and those that measure. They run each night and before a release.
 */
const costly = [
  'test/integrations/**/*.chromium.test.ts',
  'test/integrations/storage/{etcd,libsql,mysql,s3}{.*,/**}',
  'test/integrations/storage/{postgres/drivers,sizes.postgres}.test.ts',
  'test/integrations/storage/sql/blobs.test.ts',
  'test/integrations/{examples,backup-page,backup-page.restore,patterns,store-template}.test.ts',
  'test/integrations/{adapters/node.types,use/create-redactor.cost}.test.ts',
  'test/integrations/{openapi,reliability}/**',
  'test/integrations/oauth/better-auth.test.ts',
  'test/integrations/command/{copy.servers,leaked-token}.test.ts',
]

/**
 * Everything in `test/integrations` needs a server, a process, a browser, a compiler or a package that
 * only `npm run test:all` installs. Of the other tests it runs those that do more there than in
 * `npm test`, which comes before it.
 */
const selection = runsAll
  ? {
      include: [
        'test/integrations/**/*.test.ts',
        ...(isShort ? [] : findImporters('test/support/run-all.ts')),
      ],
      exclude: ['**/node_modules/**', ...(isShort ? costly : [])],
    }
  : { include: ['test/**/*.test.ts'], exclude: ['test/{integrations,package}/**'] }

export default defineConfig({
  // `cofferkit` and its subpaths are the sources, by the `paths` in tsconfig.json.
  resolve: { tsconfigPaths: true },
  test: {
    ...(isMutationRun ? mutation : { ...selection, setupFiles: [setUpFile], isolate: false }),
    // A run in which nothing fails prints its number of tests, and not what its tests print.
    reporters: [shortenErrors, process.stdout.isTTY ? 'default' : 'minimal'],
    silent: 'passed-only',
    // A failure prints the lines that differ, not two documents.
    diff: { expand: false, contextLines: 3 },
    // Time limits only detect what hangs: no result depends on how busy the machine is.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // The default cuts the names of contract cases after 40 characters.
    taskTitleValueFormatTruncate: 0,
    // The first prints the number of responses that the strict client has read.
    globalSetup: [
      'test/support/http/response-counts.ts',
      ...(runsAll ? ['test/integrations/support/source/bundle.ts'] : []),
    ],
    // Tests of sockets, processes and stores wait more than they work.
    maxWorkers: availableParallelism() * (runsAll ? 2 : 1),
    coverage: {
      provider: 'v8',
      include: [
        'src/activity{.ts,/**/*.ts}',
        'src/auth/**/*.ts',
        'src/core/**/*.ts',
        'src/credentials/**/*.ts',
        'src/dialects/**/*.ts',
        'src/oauth/**/*.ts',
        'src/references/**/*.ts',
        'src/rules.ts',
        'src/schema/**/*.ts',
        'src/use/**/*.ts',
      ],
      reporter: [['text', { skipFull: true }], 'html'],
      reportsDirectory: 'reports/coverage',
      thresholds: { 100: true },
    },
  },
})
