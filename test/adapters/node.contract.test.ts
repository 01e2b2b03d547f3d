import { describe, it } from 'vitest'
import { httpContract } from '../../src/testing.js'
import { onMount } from '../support/http/serve.js'

describe.each([
  ['the root', ''],
  ['a prefix', '/secrets/api'],
])('httpContract on createNodeListener, mounted at %s', (_place, prefix) => {
  it.each(httpContract)('$name', ({ run }) => onMount(run, undefined, { prefix }))
})
