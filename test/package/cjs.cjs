/** Checks the installed package as CommonJS modules. */

const { checkSubpaths } = require('./check-subpaths.cjs')

checkSubpaths({
  core: require('cofferkit'),
  encrypted: require('cofferkit/encrypted'),
  connect: require('cofferkit/connect'),
  express: require('cofferkit/express'),
  fastify: require('cofferkit/fastify'),
  fetch: require('cofferkit/fetch'),
  hono: require('cofferkit/hono'),
  http: require('cofferkit/http'),
  jwt: require('cofferkit/jwt'),
  koa: require('cofferkit/koa'),
  memory: require('cofferkit/memory'),
  node: require('cofferkit/node'),
  postgres: require('cofferkit/postgres'),
  sqlite: require('cofferkit/sqlite'),
  testing: require('cofferkit/testing'),
  tokens: require('cofferkit/tokens'),
}).then(() => console.log(`CommonJS works on Node ${process.version}`))
