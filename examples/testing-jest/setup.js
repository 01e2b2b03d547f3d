/** Adds the matchers of cofferkit to `expect`: Jest takes the same object as Vitest. */

const { vaultMatchers } = require('cofferkit/testing')

expect.extend(vaultMatchers)
