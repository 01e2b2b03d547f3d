/** A process of the check `credentials`: saves one credential on a connection of its own. */

import { setTimeout } from 'node:timers/promises'
import { createCaller, createVaultService, isVaultError } from 'cofferkit'
import { createCredentials } from 'cofferkit/credentials'
import { type Connection, findEngine } from '../support/stores.js'
import { handleRequests } from '../support/worker-process.js'
import { breakService, type SaveVariant, sharedKind } from './save-variant.js'

/** Request to this process. */
export interface SaveRequest {
  readonly engine: string
  readonly address: string
  readonly variant: SaveVariant
  readonly vaultId: string
  /** The field of the credential that only this process changes. */
  readonly field: string
  readonly saves: number
}

/** The result of the process. */
export interface SaveReport {
  /** Saved values of the field that were gone before the next save. */
  readonly lost: number
  /** Rejections with 409. These saves were repeated. */
  readonly rejected: number
}

let connection: Promise<Connection> | undefined

handleRequests<SaveRequest, SaveReport>(
  async ({ engine, address, variant, vaultId, field, saves }) => {
    connection ??= findEngine(engine).connect(address)
    const service = createVaultService({ store: (await connection).store })
    const credentials = createCredentials(breakService(service, variant), { shared: sharedKind })
    const own = credentials.of(createCaller(field, '*'), vaultId)
    const report = { rejected: 0, lost: 0 }
    for (let saved = 0; saved < saves; ) {
      const value = String(saved)
      try {
        await own.save('shared', { key: `${field}-${value}`, [field]: value })
        saved++
      } catch (error) {
        if (!isVaultError(error) || error.code !== 'CONFLICT') throw error
        report.rejected++
        continue
      }
      // Saves of other processes that have read the older value are written by then.
      await setTimeout(20)
      // The broken variants have no item under the id of the credential.
      const { fields } = await own.describe('shared').catch(() => ({ fields: {} }))
      if (Reflect.get(fields, field) !== value) report.lost++
    }
    return report
  },
  async () => {
    await (await connection)?.close()
  },
)
