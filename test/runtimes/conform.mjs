/** Runs every check on a runtime, and detects broken platforms. */

import { createEncryptedStore, createLocalKeyProvider } from 'cofferkit/encrypted'
import { createMemoryStore } from 'cofferkit/memory'
import { blobStoreContract, recordStoreContract } from 'cofferkit/testing'
import { authenticationChecks } from './authentication-checks.mjs'
import { brokenPlatforms } from './broken-platforms.mjs'
import { fileChecks } from './file-checks.mjs'
import { httpChecks } from './http-checks.mjs'
import { platformChecks } from './platform-checks.mjs'
import { rejectionChecks } from './rejection-checks.mjs'
import { serviceChecks } from './service-checks.mjs'
import { createSubject } from './subject.mjs'

const stores = {
  memory: createMemoryStore,
  encrypted() {
    const key = crypto.getRandomValues(new Uint8Array(32))
    return createEncryptedStore(createMemoryStore(), { keys: createLocalKeyProvider({ key }) })
  },
}

/** The checks by name; a check rejects if it fails. */
const checks = new Map([
  ...[...platformChecks, ...authenticationChecks].map(({ name, run }) => [name, run]),
  ...Object.entries(stores).flatMap(([kind, createStore]) => [
    ...bound(kind, recordStoreContract, () => createStore().records),
    ...bound(kind, blobStoreContract, () => createStore().blobs),
    ...bound(kind, [...serviceChecks, ...rejectionChecks, ...fileChecks, ...httpChecks], () =>
      createSubject(createStore()),
    ),
  ]),
])

/**
 * Runs all checks, and one check on each broken platform. Resolves with the names of both.
 * @throws Error that starts with the name of the first check that fails, or of the broken platform
 * that was not detected.
 */
export async function conform() {
  for (const name of checks.keys()) await runCheck(name)
  for (const [platform, { check, breaks }] of Object.entries(brokenPlatforms)) {
    const restore = breaks()
    const isDetected = await runCheck(check).then(
      () => false,
      () => true,
    )
    restore()
    if (!isDetected) throw new Error(`${platform}: not detected by "${check}"`)
  }
  return { checks: [...checks.keys()], broken: Object.keys(brokenPlatforms) }
}

/**
 * Runs `conform` and returns its result, or `{ failed }` with the message.
 * @param broken The name of a broken platform to use.
 */
export async function report(broken) {
  const restore = broken ? brokenPlatforms[broken].breaks() : undefined
  try {
    return await conform()
  } catch (error) {
    return { failed: error.message }
  } finally {
    restore?.()
  }
}

async function runCheck(name) {
  try {
    await checks.get(name)()
  } catch (error) {
    throw new Error(`${name}: ${error?.message ?? error}`, { cause: error })
  }
}

function bound(kind, cases, createOne) {
  return cases.map(({ name, run }) => [`${kind}: ${name}`, async () => run(await createOne())])
}
