/** Turns the cases of a contract into tests that any runner registers, each with its own subject. */

import { anyFunction, callback, like, list, readArgument } from '../base/argument.js'
import type { ContractCase } from '../base/contract-case.js'

/** A test for any runner, such as `it(name, run)`. */
export interface ContractTest {
  /** The name of the case. */
  readonly name: string
  /**
   * Creates a subject, runs the case and cleans up. It has no parameters, so that no runner waits
   * for a callback.
   * @throws Error of the case, of `createSubject`, or of a cleanup. If several failed, it throws an
   * AggregateError whose message contains theirs.
   */
  run(): Promise<void>
}

/**
 * Registers work to do after the test, whether it passed or failed. The work that was registered
 * last is done first. Promises are awaited. If some work fails, the rest is still done, and the
 * test's own error is still reported.
 */
export type OnCleanup = (work: () => unknown) => void

/**
 * Returns a test for each case of a contract.
 * @param contract `recordStoreContract`, `blobStoreContract` or another list of cases.
 * @param createSubject Creates a new subject: an empty store for the contracts of stores. It is
 * called once for each test. If it fails, the cleanups that it has registered still run.
 * @throws TypeError if an argument has the wrong type.
 *
 * @example
 * ```ts
 * import { mkdtemp, rm } from 'node:fs/promises'
 * import { describe, it } from 'node:test'
 * import { openSqliteStore } from 'cofferkit/sqlite'
 * import { createContractTests, type OnCleanup, recordStoreContract } from 'cofferkit/testing'
 *
 * async function createRecords(onCleanup: OnCleanup) {
 *   const folder = await mkdtemp('test-')
 *   onCleanup(() => rm(folder, { recursive: true }))
 *   const store = await openSqliteStore(`${folder}/vault.db`)
 *   onCleanup(() => store.close())
 *   return store.records
 * }
 * describe('my record store', () => {
 *   for (const { name, run } of createContractTests(recordStoreContract, createRecords)) it(name, run)
 * })
 * ```
 */
export function createContractTests<Subject>(
  contract: readonly ContractCase<Subject>[],
  createSubject: (onCleanup: OnCleanup) => Subject | Promise<Subject>,
): readonly ContractTest[] {
  const cases = list('a list of cases', like({ name: '', run: anyFunction }))
  readArgument(cases, { contract, createSubject })
  callback()(createSubject, 'createSubject')
  return contract.map((contractCase) => ({
    name: contractCase.name,
    run: () => runCase(contractCase, createSubject),
  }))
}

async function runCase<Subject>(
  contractCase: ContractCase<Subject>,
  createSubject: (onCleanup: OnCleanup) => Subject | Promise<Subject>,
): Promise<void> {
  const cleanups: (() => unknown)[] = []
  const errors: unknown[] = []
  const attempt = async (work: () => unknown): Promise<void> => {
    try {
      await work()
    } catch (error) {
      errors.push(error)
    }
  }
  await attempt(async () => contractCase.run(await createSubject((work) => cleanups.push(work))))
  for (let work = cleanups.pop(); work !== undefined; work = cleanups.pop()) await attempt(work)
  if (errors.length > 1) throw new AggregateError(errors, errors.map(toMessage).join('; then: '))
  if (errors.length === 1) throw errors[0]
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
