/** What you close when you no longer need it. */

/**
 * What you close when you no longer need it. It ends what the function that returned it has made,
 * and never what you passed to that function.
 *
 * It also has the method `Symbol.asyncDispose`, which calls `close`, so you can write
 * `await using service = createVaultService(options)`.
 */
export type Closable = {
  /** Closes it. Closing again returns the same promise. */
  close(): Promise<void>
} & {
  // Without this method if the `lib` of the project has no such symbol.
  readonly [Dispose in typeof Symbol extends { readonly asyncDispose: infer Key extends symbol }
    ? Key
    : never]: () => Promise<void>
}

/** `Symbol.asyncDispose`, or what compilers use for it in runtimes that do not have it. */
export const asyncDispose: typeof Symbol.asyncDispose =
  Symbol.asyncDispose ?? (Symbol.for('Symbol.asyncDispose') as typeof Symbol.asyncDispose)

/** Returns the two methods that close something. Both call `close` at most once. */
export function toClosable(close: () => Promise<void>): Closable {
  let closing: Promise<void> | undefined
  const closeOnce = (): Promise<void> => {
    closing ??= close()
    return closing
  }
  return { close: closeOnce, [asyncDispose]: closeOnce }
}
