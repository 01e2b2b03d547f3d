/** Whether a runtime runs the whole package as it should: every check, and that broken platforms are noticed. */

import { createEncryptedStore, createLocalKeyProvider } from 'cofferkit/encrypted'
import { createMemoryStore } from 'cofferkit/memory'
import { blobStoreContract, recordStoreContract } from 'cofferkit/testing'
import { authenticationChecks } from './authentication-checks.mjs'
import { brokenPlatforms } from './broken-platforms.mjs'
import { fileChecks } from './file-checks.mjs'
import { httpChecks } from './http-checks.mjs'
import { platformChecks } from './platform-checks.mjs'
import { refusalChecks } from './refusal-checks.mjs'
import { serviceChecks } from './service-checks.mjs'
import { createSubject } from './subject.mjs'

const stores = {
  memory: createMemoryStore,
  encrypted() {
    const key = crypto.getRandomValues(new Uint8Array(32))
    return createEncryptedStore(createMemoryStore(), { keys: createLocalKeyProvider({ key }) })
  },
}

/** Every check, by its name, as a function that rejects where it does not hold. */
const checks = new Map([
  ...[...platformChecks, ...authenticationChecks].map(({ name, run }) => [name, run]),
  ...Object.entries(stores).flatMap(([kind, createStore]) => [
    ...bound(kind, recordStoreContract, () => createStore().records),
    ...bound(kind, blobStoreContract, () => createStore().blobs),
    ...bound(kind, [...serviceChecks, ...refusalChecks, ...fileChecks, ...httpChecks], () =>
      createSubject(createStore()),
    ),
  ]),
])

/**
 * Resolves with the names of all checks, which hold, and of the broken platforms, which were noticed.
 * @throws Error whose message begins with the name of the first check that does not hold, or of the broken platform
 * that no check noticed.
 */
export async function conform() {
  for (const name of checks.keys()) await holdCheck(name)
  for (const [platform, { check, breaks }] of Object.entries(brokenPlatforms)) {
    const mend = breaks()
    const isNoticed = await holdCheck(check).then(
      () => false,
      () => true,
    )
    mend()
    if (!isNoticed) throw new Error(`${platform}: nothing was noticed by "${check}"`)
  }
  return { checks: [...checks.keys()], broken: Object.keys(brokenPlatforms) }
}

/** `conform` as JSON can say it: its answer, or `{ failed }` with the sentence. `broken` names a platform to run it on. */
export async function report(broken) {
  const mend = broken ? brokenPlatforms[broken].breaks() : undefined
  try {
    return await conform()
  } catch (error) {
    return { failed: error.message }
  } finally {
    mend?.()
  }
}

async function holdCheck(name) {
  try {
    await checks.get(name)()
  } catch (error) {
    throw new Error(`${name}: ${error?.message ?? error}`, { cause: error })
  }
}

function bound(kind, cases, createOne) {
  return cases.map(({ name, run }) => [`${kind}: ${name}`, async () => run(await createOne())])
}
