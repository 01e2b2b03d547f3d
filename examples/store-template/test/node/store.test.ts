import { describe, it } from 'node:test'
import {
  blobStoreContract,
  createContractTests,
  recordStoreContract,
} from 'cofferkit/testing'
import { createTestStore } from '../create-test-store.ts'

describe('records', () => {
  const tests = createContractTests(
    recordStoreContract,
    async (onCleanup) => (await createTestStore(onCleanup)).records,
  )
  for (const { name, run } of tests) it(name, run)
})

describe('blobs', () => {
  const tests = createContractTests(
    blobStoreContract,
    async (onCleanup) => (await createTestStore(onCleanup)).blobs,
  )
  for (const { name, run } of tests) it(name, run)
})
