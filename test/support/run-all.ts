import { createRequire } from 'node:module'

/**
 * True in `npm run test:all`, which does what `npm test` leaves out: most runs of a property, and
 * hostile requests on every mount. It runs the files that import this, and those of test/integrations.
 */
export const runAll = process.env['TEST_ALL'] === '1'

/** Loads a package of `test/integrations`, if everything runs. */
export const loadIntegration = createRequire(
  new URL('../integrations/package.json', import.meta.url),
)
