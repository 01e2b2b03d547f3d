import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type D1Database, openD1Store } from '../../../../examples/d1-store.js'
import { hashToken } from '../../../../src/auth/tokens.js'
import { blobStoreContract, recordStoreContract } from '../../../../src/testing.js'
import { readBytes, streamOf, utf8 } from '../../../support/bytes.js'
import { type D1Worker, startD1Worker } from '../../support/stores/d1.js'

const key = { collection: 'c', id: 'a' }
const failed = { code: 'STORAGE_FAILED', status: 500 }
const secret = 'correct horse battery staple'

describe('createLibsqlStore on D1', () => {
  let worker: D1Worker
  beforeAll(async () => {
    worker = await startD1Worker('test/integrations/support/stores/d1-contract-worker.ts')
  }, 60_000)
  afterAll(() => worker.dispose())

  const runCase = async (part: string, index: number): Promise<string> =>
    (await worker.dispatchFetch(`http://worker.test/${part}/${index}`)).text()

  it.each(recordStoreContract.map(({ name }, index) => [name, index] as const))(
    'records: %s',
    async (_, index) => expect(await runCase('records', index)).toBe('passed'),
  )
  it.each(blobStoreContract.map(({ name }, index) => [name, index] as const))(
    'blobs: %s',
    async (_, index) => expect(await runCase('blobs', index)).toBe('passed'),
  )

  it('stores a content of several chunks, once', async () => {
    const { blobs } = await openD1Store(await worker.getD1Database('DB'))
    const bytes = Uint8Array.from({ length: 600_001 }, (_, index) => (index * 31) & 255)
    await blobs.write('v/large', bytes)
    expect(await readBytes((await blobs.read('v/large')) ?? streamOf([]))).toEqual(bytes)
    const message = 'a blob with this id already exists'
    for (const content of [bytes, utf8('small')])
      await expect(blobs.write('v/large', content)).rejects.toMatchObject({ ...failed, message })
  })

  it('rejects a record that is too large for a row, with no value in the error', async () => {
    const { records } = await openD1Store(await worker.getD1Database('DB'))
    const body = utf8(secret.repeat(90_000))
    let error: unknown
    const put = async () => {
      error = await records.put(key, { body }, 0).catch((reason: unknown) => reason)
      return error
    }
    // On a busy machine, the worker can lose the connection to its database: 503.
    const expected = { ...failed, message: 'the database failed (SQLITE_TOOBIG)' }
    await expect.poll(put).toMatchObject(expected)
    expect(String((error as Error).cause)).not.toContain('horse')
    expect(await records.get(key)).toBeUndefined()
  })
})

describe('examples/d1-worker.ts', () => {
  it('serves a vault, also after the worker was started again', async () => {
    const bindings = { TOKEN_SHA256: await hashToken('token') }
    const worker = await startD1Worker('examples/d1-worker.ts', bindings)
    onTestFinished(() => worker.dispose())
    const headers = { authorization: 'Bearer token', 'content-type': 'application/json' }
    const url = 'http://worker.test/v1/vaults'
    expect((await worker.dispatchFetch(url)).status).toBe(401)
    const body = JSON.stringify({ name: 'Home' })
    const created = await worker.dispatchFetch(url, { method: 'POST', headers, body })
    expect(created.status).toBe(200)
    const database: D1Database = await worker.getD1Database('DB')
    expect(await (await openD1Store(database)).records.list('vaults', { limit: 2 })).toHaveLength(1)
    const listed = await (await worker.dispatchFetch(url, { headers })).json()
    expect(listed).toMatchObject([{ name: 'Home' }])
  })
})
