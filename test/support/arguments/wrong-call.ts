/** The form of the tables of wrong calls, and values that many of them use. */

import { createMemoryStore } from 'cofferkit/memory'

/** Lists of arguments by the message of the TypeError that a call with them throws. */
export type WrongCalls = Readonly<Record<string, readonly (readonly unknown[])[]>>

/** The wrong calls of functions, by their names. */
export type WrongCallsByName = Readonly<Record<string, WrongCalls>>

/** A value that no message may contain. */
export const secret = 'SWORDFISH'

/** Wrong in place of any object of options. */
export const notOptions: readonly unknown[] = [null, secret, 7, [secret]]

/** Wrong in place of any function. */
export const notFunctions: readonly unknown[] = [null, secret, 7, {}]

/** Wrong in place of any text. */
export const notStrings: readonly unknown[] = [undefined, null, 7, {}]

/**
 * Wrong stores, by message.
 * @param path The path of the store in the message.
 * @param toArguments Returns the arguments of a call with the store.
 */
export function wrongStores(
  path: string,
  toArguments: (store: unknown) => readonly unknown[],
): WrongCalls {
  const { records, blobs } = createMemoryStore()
  const { put: _, ...withoutPut } = records
  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    [`${path} must be an object with records, blobs`]: [undefined, null, secret, createMemoryStore],
    [`${path}.records must be an object with get, put, delete, list`]: [{}, { blobs }],
    [`${path} is a promise: is await missing?`]: [Promise.resolve(createMemoryStore())],
    [`${path}.records.put must be a function`]: [
      { records: withoutPut, blobs },
      { records: { ...records, put: secret }, blobs },
    ],
    [`${path}.blobs must be an object with read, write, delete`]: [
      { records },
      { records, blobs: null },
    ],
    [`${path}.blobs.delete must be a function`]: [{ records, blobs: { ...blobs, delete: null } }],
  }
  return Object.fromEntries(
    Object.entries(wrong).map(([message, stores]) => [message, stores.map(toArguments)]),
  )
}

/** The message for a service that is no result of `createVaultService`. */
export const wrongService =
  'service must be the result of createVaultService itself: to observe or refuse calls, use its option around'
