import { defineConfig } from 'vitest/config'

/** The tests that the mutants of `src/auth`, `src/core` and `src/schema` are run against; properties only where they alone see a fault. */
export default defineConfig({
  resolve: { tsconfigPaths: true },
  test: {
    include: ['test/{auth,core,schema,dialects}/**/*.test.ts', 'test/http/activity.test.ts'],
    exclude: ['test/core/apply-patch*.property.test.ts', 'test/auth/jwt.property.test.ts'],
    setupFiles: ['test/support/arbitraries/short-properties.ts'],
    testTimeout: 20_000,
  },
})
