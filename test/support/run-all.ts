/**
 * True if everything runs, as in `npm run test:all` and in CI. Otherwise `npm test` leaves out
 * repetitions: most runs of a property, and hostile requests on every mount. Whole files that it leaves
 * out are in vitest.config.ts.
 */
export const runAll = process.env['TEST_ALL'] === '1'
