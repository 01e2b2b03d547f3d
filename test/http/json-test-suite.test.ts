import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readBody } from '../../src/http/read-body.js'
import { streamOf } from '../support/bytes.js'
import { requestTo } from '../support/http/requests.js'

const folder = process.env['JSON_TEST_SUITE'] ?? ''
const files = folder === '' ? [] : readdirSync(folder).filter((name) => name.endsWith('.json'))
const nobody = { tokens: { full: '', reader: '', writer: '', otherVault: '' } }

/** Where JSON leaves it open, we take any number and any escape, and refuse bytes that are not UTF-8, a BOM and 500 levels. */
const takenByUs =
  /^i_(?:number|object_key|string_(?:1st|incomplete|inverted|lone_second|invalid_(?:lonely_)?surrogate))/

async function statusOf(name: string): Promise<number> {
  const body = streamOf([new Uint8Array(readFileSync(join(folder, name)))])
  const reading = readBody(requestTo(nobody, 'POST', '/', { body }), {})
  return reading.then(
    () => 200,
    (error: { status: number }) => error.status,
  )
}

describe(`JSONTestSuite${folder === '' ? ' (not run: JSON_TEST_SUITE names no folder)' : ''}`, () => {
  it('is there as a whole, or not at all', () => {
    expect(files).toHaveLength(folder === '' ? 0 : 318)
  })

  it.each(files)('%s', async (name) => {
    expect(await statusOf(name)).toBe(name.startsWith('y_') || takenByUs.test(name) ? 200 : 400)
  })
})
