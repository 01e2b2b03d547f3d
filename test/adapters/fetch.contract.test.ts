import { describe, it } from 'vitest'
import { createFetchHandler } from '../../src/adapters/fetch.js'
import { httpContract } from '../../src/testing.js'
import { createFetchBridge } from '../support/http/fetch-bridge.js'
import { runOnMount } from '../support/http/serve.js'

describe.each([
  ['the root', ''],
  ['a prefix', '/api'],
])('httpContract on createFetchHandler, mounted at %s', (_place, prefix) => {
  const mounting = (handler: Parameters<typeof createFetchHandler>[0]) =>
    createFetchBridge(createFetchHandler(handler), true)

  it.each(httpContract)('$name', ({ run }) =>
    runOnMount(run, mounting, { prefix, platform: { normalizesTargets: true } }),
  )
})
