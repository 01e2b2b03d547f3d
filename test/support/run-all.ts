import { createRequire } from 'node:module'

/**
 * True if everything runs, as in `npm run test:all` and in CI. Otherwise `npm test` leaves out
 * repetitions: most runs of a property, and hostile requests on every mount. Whole files that it leaves
 * out are in test/integrations.
 */
export const runAll = process.env['TEST_ALL'] === '1'

/** Loads a package of `test/integrations`, if everything runs. */
export const loadIntegration = createRequire(
  new URL('../integrations/package.json', import.meta.url),
)
