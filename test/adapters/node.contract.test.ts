import { describe, it } from 'vitest'
import { httpContract } from '../../src/testing/index.js'
import { onMount } from '../support/serve.js'

describe.each([
  ['the root', ''],
  ['a prefix', '/secrets/api'],
])('createNodeListener on node:http, mounted at %s', (_place, prefix) => {
  it.each(httpContract)('$name', ({ run }) => onMount(run, undefined, { prefix }))
})
