import { defineConfig } from 'vitest/config'

export default defineConfig({
  // `cofferkit` and its subpaths are the sources, by the `paths` in tsconfig.json.
  resolve: { tsconfigPaths: true },
  test: {
    include: ['test/**/*.test.ts'],
    // Says how many answers were read by the strict client.
    globalSetup: ['test/support/http/response-counts.ts'],
    // Tests of sockets, processes and stores wait more than they work.
    maxWorkers: '100%',
    testTimeout: 10_000,
    coverage: {
      provider: 'v8',
      include: [
        'src/auth/**/*.ts',
        'src/core/**/*.ts',
        'src/dialects/**/*.ts',
        'src/schema/**/*.ts',
      ],
      reporter: ['text', 'html'],
      reportsDirectory: 'reports/coverage',
      thresholds: { 100: true },
    },
  },
})
