import { describe, it } from 'vitest'
import { createFetchHandler } from '../../src/adapters/fetch.js'
import { httpContract } from '../../src/testing.js'
import { fetchBridge } from '../support/http/fetch-bridge.js'
import { onMount } from '../support/http/serve.js'

describe.each([
  ['the root', ''],
  ['a prefix', '/api'],
])('httpContract on createFetchHandler, mounted at %s', (_place, prefix) => {
  const mounting = (handler: Parameters<typeof createFetchHandler>[0]) =>
    fetchBridge(createFetchHandler(handler))

  it.each(httpContract)('$name', ({ run }) => onMount(run, mounting, { prefix }))
})
