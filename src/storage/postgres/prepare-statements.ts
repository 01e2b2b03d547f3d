/** Names statements, so that a client keeps them prepared. */

import type { PostgresClient, PreparingPostgresClient } from './client.js'

/** Returns a client that runs every statement as a prepared one. Its name depends on its text. */
export function prepareStatements(client: PreparingPostgresClient): PostgresClient {
  const names = new Map<string, string>()
  return {
    query(text, values) {
      const name = names.get(text) ?? statementName(text)
      names.set(text, name)
      return client.query({ name, text, values })
    },
  }
}

/** Returns `cofferkit_` and the 64-bit FNV-1a hash (Fowler, Noll, Vo) of the text. */
function statementName(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return `cofferkit_${hash.toString(16)}`
}
