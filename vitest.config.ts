import { defineConfig } from 'vitest/config'

const unit =
  'test/{filters.test.ts,{activity,auth,core,dialects,filters,http,references,schema}/**/*.test.ts}'

/** Set in the processes that test the mutants of `npm run mutation`. */
const isMutationRun = process.env['STRYKER_MUTATOR_WORKER'] !== undefined

const setUpFile = 'test/support/set-up-file.ts'

/** Tests that mutants are run against. Properties only where nothing else detects a mutant. */
const mutation = {
  include: ['test/{activity,auth,core,schema,dialects}/**/*.test.ts', 'test/http/activity.test.ts'],
  exclude: ['test/core/patch/apply-patch*.property.test.ts', 'test/auth/jwt.property.test.ts'],
  setupFiles: [setUpFile, 'test/support/arbitraries/short-properties.ts'],
  testTimeout: 20_000,
}

/** Tests that only run with `npm run test:all`: database servers, pages, examples, Chromium, slow files. */
const exhaustive =
  process.env['TEST_ALL'] === '1'
    ? []
    : [
        'test/storage/postgres{,.server}.test.ts',
        'test/storage/postgres/{drivers,pgbouncer,query,synchronous}.test.ts',
        'test/storage/mysql.server{,.*}.test.ts',
        'test/storage/sql/blobs.test.ts',
        'test/storage/{libsql/d1,s3}.test.ts',
        'test/storage/encrypted.postgres.test.ts',
        'test/command/*.test.ts',
        'test/storage/etcd/{server,tls}.test.ts',
        'test/reliability/{faults,race,uploads}.test.ts',
        'test/http/openapi/create-document.{proxy,types}.test.ts',
        'test/http/cross-site.chromium.test.ts',
        'test/{page,playground,site}/*.chromium.test.ts',
        'test/{docs,errors-page,examples,scaling-page,store-template}.test.ts',
        'test/{production-page{,.*},multi-tenant-page}.test.ts',
      ]

/** Everything else runs as two projects: `npx vitest --project unit`. */
const projects = [
  {
    extends: true,
    test: { name: 'unit', include: [unit], exclude: exhaustive, env: { COVERED_PROJECT: '1' } },
  },
  {
    extends: true,
    test: {
      name: 'integration',
      include: ['test/**/*.test.ts'],
      exclude: [unit, ...exhaustive],
    },
  },
]

export default defineConfig({
  // `cofferkit` and its subpaths are the sources, by the `paths` in tsconfig.json.
  resolve: { tsconfigPaths: true },
  test: {
    ...(isMutationRun
      ? mutation
      : { projects, setupFiles: [setUpFile], isolate: false, testTimeout: 30_000 }),
    // The default of a second is short when other tests use every core.
    expect: { poll: { timeout: 5000 } },
    // The default cuts the names of contract cases after 40 characters.
    taskTitleValueFormatTruncate: 0,
    // Prints the number of responses that the strict client has read.
    globalSetup: ['test/support/http/response-counts.ts'],
    // Tests of sockets, processes and stores wait more than they work.
    maxWorkers: '100%',
    coverage: {
      provider: 'custom',
      customProviderModule: './test/support/coverage.ts',
      include: [
        'src/activity{.ts,/**/*.ts}',
        'src/auth/**/*.ts',
        'src/core/**/*.ts',
        'src/dialects/**/*.ts',
        'src/filters{.ts,/**/*.ts}',
        'src/references/**/*.ts',
        'src/schema/**/*.ts',
      ],
      reporter: [['text', { skipFull: true }], 'html'],
      reportsDirectory: 'reports/coverage',
      thresholds: { 100: true },
    },
  },
})
