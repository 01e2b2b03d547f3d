/** Uses the installed package as CommonJS modules. */

const { checkSubpaths } = require('./check-subpaths.cjs')

checkSubpaths({
  core: require('cofferkit'),
  encrypted: require('cofferkit/encrypted'),
  fetch: require('cofferkit/fetch'),
  http: require('cofferkit/http'),
  memory: require('cofferkit/memory'),
  node: require('cofferkit/node'),
  postgres: require('cofferkit/postgres'),
  sqlite: require('cofferkit/sqlite'),
  testing: require('cofferkit/testing'),
  tokens: require('cofferkit/tokens'),
}).then(() => console.log(`CommonJS works on Node ${process.version}`))
