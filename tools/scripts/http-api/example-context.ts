/** The ids and paths that the examples of the HTTP API reference refer to. */

import type { MethodName } from '../../../src/http.js'
import type { ExampleRequest } from './example-request.js'
import type { ExampleIds } from './example-server.js'

/** Everything that an example can refer to. */
export interface ExampleContext {
  readonly ids: ExampleIds
  /** The id in the first response of an operation; empty before it has been sent. */
  idFrom(operation: MethodName): string
}

/** Creates the examples of an operation. */
export type Examples = (context: ExampleContext) => readonly ExampleRequest[]

/** A valid id that does not exist. */
export const missingId = 'a'.repeat(26)
export const vaults = '/v1/vaults'

export function vaultPath({ ids }: ExampleContext): string {
  return `${vaults}/${ids.vault}`
}

export function itemsPath(context: ExampleContext): string {
  return `${vaultPath(context)}/items`
}

export function routerPath(context: ExampleContext): string {
  return `${itemsPath(context)}/${context.ids.router}`
}

export function filesPath(context: ExampleContext): string {
  return `${itemsPath(context)}/${context.ids.printer}/files`
}

export function createdVaultPath({ idFrom }: ExampleContext): string {
  return `${vaults}/${idFrom('createVault')}`
}
