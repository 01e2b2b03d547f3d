import { describe, expect, it } from 'vitest'
import { type Call, makeChange } from '../../../src/core/operation/call.js'
import type { Change } from '../../../src/core/runtime/change.js'
import { createContext } from '../../../src/core/runtime/context.js'
import { createCaller } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createCall } from '../../support/core/create-call.js'

const change: Change = { type: 'vault.updated', vaultId: 'v'.repeat(26), version: 2 }

/** A call and a write that log their order. */
function loggingCall(begin: Call['beginChange'] = async () => {}) {
  const order: string[] = []
  const context = createContext({ store: createMemoryStore() })
  const call = createCall(context, createCaller({ id: 'wendy', vaults: '*' }), {
    beginChange: async (begun) => {
      order.push(`begin ${begun.type}`)
      await begin(begun)
    },
    afterChange: (written) => order.push(`after ${written.type}`),
  })
  const write =
    <Result>(result: Result) =>
    async (): Promise<Result> => {
      order.push('write')
      return result
    }
  return { call, order, write }
}

describe('makeChange', () => {
  it.each([true, { version: 2 }])(
    'begins the change, writes it and emits its event when the write returns %j',
    async (result) => {
      const { call, order, write } = loggingCall()
      expect(await makeChange(call, change, write(result))).toBe(result)
      expect(order).toEqual(['begin vault.updated', 'write', 'after vault.updated'])
    },
  )

  it.each([false, undefined])('emits no event when the write returns %s', async (result) => {
    const { call, order, write } = loggingCall()
    expect(await makeChange(call, change, write(result))).toBe(result)
    expect(order).toEqual(['begin vault.updated', 'write'])
  })

  it('does not write when the change cannot be recorded', async () => {
    const { call, order, write } = loggingCall(() => Promise.reject(new Error('no')))
    await expect(makeChange(call, change, write(true))).rejects.toThrow('no')
    expect(order).toEqual(['begin vault.updated'])
  })

  it('rejects without an event when the write rejects', async () => {
    const { call, order } = loggingCall()
    const write = () => Promise.reject(new Error('broken'))
    await expect(makeChange(call, change, write)).rejects.toThrow('broken')
    expect(order).toEqual(['begin vault.updated'])
  })
})
