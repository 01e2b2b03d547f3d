import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bodyLimits, readBody } from '../../src/http/read-body.js'
import { streamOf } from '../support/bytes.js'
import { createRequest } from '../support/http/requests.js'

const folder = process.env['JSON_TEST_SUITE'] ?? ''
const files = folder === '' ? [] : readdirSync(folder).filter((name) => name.endsWith('.json'))
const anonymous = { tokens: { full: '', reader: '', writer: '', otherVault: '' } }

/**
 * The undefined cases that are accepted: any number and any escape. Bytes that are not UTF-8, a BOM
 * and 500 levels are rejected.
 */
const accepted =
  /^i_(?:number|object_key|string_(?:1st|incomplete|inverted|lone_second|invalid_(?:lonely_)?surrogate))/

async function statusOf(name: string): Promise<number> {
  const body = streamOf([new Uint8Array(readFileSync(join(folder, name)))])
  const parsed = readBody(createRequest(anonymous, 'POST', '/', { body }), bodyLimits.read({}))
  return parsed.then(
    () => 200,
    (error: { status: number }) => error.status,
  )
}

describe(`readBody with JSONTestSuite${folder === '' ? ' (skipped)' : ''}`, () => {
  it('has every case, or none when JSON_TEST_SUITE is not set', () => {
    expect(files).toHaveLength(folder === '' ? 0 : 318)
  })

  it.each(files)('parses or rejects %s', async (name) => {
    expect(await statusOf(name)).toBe(name.startsWith('y_') || accepted.test(name) ? 200 : 400)
  })
})
