/** Patches of one operation that a service rejects. */

import { type ContractClient, expectError, expectUnchanged } from './contract-client.js'

/** Asserts that each operation alone is 400 with a message that names it, and changes nothing. */
export async function expectRejectedOperations(
  client: ContractClient,
  ...operations: readonly {
    readonly op?: unknown
    readonly path: string
    readonly value?: unknown
  }[]
): Promise<void> {
  await expectUnchanged(client, async () => {
    for (const operation of operations)
      expectError(await client.patch([operation]), 400, /^(?:operation 0 \(".*"\): |0\/)/)
  })
}
