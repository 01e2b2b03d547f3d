import { defineConfig } from 'vitest/config'

/** Every hostile request to every mount. */
export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    include: ['test/adapters/**/*.test.ts'],
    globalSetup: ['test/support/http/response-counts.ts'],
    env: { ALL_MOUNTS: '1' },
    maxWorkers: '100%',
    testTimeout: 10_000,
  },
})
