/** Checks the installed package as ES modules, beside its CommonJS copy. */

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import * as core from 'cofferkit'
import { UnauthorizedError } from 'cofferkit'
import * as connect from 'cofferkit/connect'
import * as encrypted from 'cofferkit/encrypted'
import * as express from 'cofferkit/express'
import * as fastify from 'cofferkit/fastify'
import * as fetch from 'cofferkit/fetch'
import * as hono from 'cofferkit/hono'
import * as http from 'cofferkit/http'
import * as jwt from 'cofferkit/jwt'
import * as koa from 'cofferkit/koa'
import * as memory from 'cofferkit/memory'
import * as node from 'cofferkit/node'
import * as postgres from 'cofferkit/postgres'
import * as sqlite from 'cofferkit/sqlite'
import * as testing from 'cofferkit/testing'
import * as tokens from 'cofferkit/tokens'
import { checkSubpaths } from './check-subpaths.cjs'

const servers = { connect, express, fastify, fetch, hono, http, jwt, koa, node, tokens }
const stores = { encrypted, memory, postgres, sqlite }
await checkSubpaths({ core, ...servers, ...stores, testing })

const copy = createRequire(import.meta.url)('cofferkit')
assert.notEqual(copy.UnauthorizedError, UnauthorizedError)
assert.ok(new UnauthorizedError() instanceof copy.UnauthorizedError)
assert.ok(new copy.UnauthorizedError() instanceof core.VaultError)
assert.ok(!(new copy.UnauthorizedError() instanceof core.NotFoundError))

console.log(`ESM works on Node ${process.version}`)
