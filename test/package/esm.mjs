/** Uses the installed package as ES modules, beside its CommonJS copy. */

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import * as core from 'cofferkit'
import { UnauthorizedError } from 'cofferkit'
import { checkSubpaths, subpathNames } from './check-subpaths.cjs'

const loaded = {}
for (const name of subpathNames)
  loaded[name] = await import(name === 'index' ? 'cofferkit' : `cofferkit/${name}`)
await checkSubpaths(loaded)

const copy = createRequire(import.meta.url)('cofferkit')
assert.notEqual(copy.UnauthorizedError, UnauthorizedError)
assert.ok(new UnauthorizedError() instanceof copy.UnauthorizedError)
assert.ok(new copy.UnauthorizedError() instanceof core.VaultError)
assert.ok(!(new copy.UnauthorizedError() instanceof core.NotFoundError))

console.log(`ES modules work on Node ${process.version}`)
