import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blobStoreContract, recordStoreContract } from '../../../src/testing.js'
import { type EtcdServer, startEtcd } from '../../../tools/reliability/support/etcd-server.js'
import { createStoreAt, hasEtcd, skippedSuffix } from '../../support/stores/etcd.js'

describe(`createEtcdStore${skippedSuffix}`, () => {
  it('is tested when etcd is installed', () => {
    expect(typeof hasEtcd).toBe('boolean')
  })
})

describe.runIf(hasEtcd)('createEtcdStore', () => {
  let server: EtcdServer
  beforeAll(async () => {
    server = await startEtcd()
  })
  afterAll(() => server.stop())

  it.each(recordStoreContract)('records: $name', ({ run }) =>
    run(createStoreAt(server.endpoint).records),
  )
  it.each(blobStoreContract)('blobs: $name', ({ run }) => run(createStoreAt(server.endpoint).blobs))
})
