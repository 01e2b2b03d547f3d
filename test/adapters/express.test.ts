import express from 'express'
import { describe, it } from 'vitest'
import { createNodeListener } from '../../src/adapters/node.js'
import { httpContract } from '../../src/testing/index.js'
import { type Mounting, onMount } from '../support/serve.js'

/** Its limit is that of the vault; `strict` and `inflate` leave scalars and encodings to the vault. */
const parser = express.json({ limit: '1mb', strict: false, inflate: false })

/** What the parser answers itself: it replaces bytes that are not UTF-8 and drops a BOM, and reads a body to its end before it refuses it. */
const answeredByTheParser = [
  'answers 400 to bodies that are no JSON in UTF-8',
  'answers 413 to a body over the limit, announced or counted',
]
const behindTheParser = httpContract.filter(({ name }) => !answeredByTheParser.includes(name))

describe('createNodeListener in Express 5', () => {
  const prefixed: Mounting = (handler) => express().use('/api', createNodeListener(handler))

  it.each(httpContract)('under a prefix: $name', ({ run }) =>
    onMount(run, prefixed, { prefix: '/api', basePath: '' }),
  )
})

describe('createNodeListener in Express 5 behind express.json(), which has read the body already', () => {
  const parsed: Mounting = (handler) => express().use(parser, createNodeListener(handler))
  const both: Mounting = (handler) => express().use(parser).use('/api', createNodeListener(handler))

  it.each(behindTheParser)('at the root: $name', ({ run }) => onMount(run, parsed))
  it.each(behindTheParser)('under a prefix: $name', ({ run }) =>
    onMount(run, both, { prefix: '/api', basePath: '' }),
  )
})
