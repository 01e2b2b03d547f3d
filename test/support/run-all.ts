/**
 * True if everything runs, as in `npm run test:all` and in CI. Otherwise `npm test` leaves out
 * repetitions: most runs of a property, and hostile requests on every mount.
 */
export const runAll = process.env['TEST_ALL'] === '1'
