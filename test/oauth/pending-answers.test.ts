import { createMemoryStore } from 'cofferkit/memory'
import { describe, expect, it } from 'vitest'
import { createLeases } from '../../src/oauth/lease.js'
import { createPendingAnswers } from '../../src/oauth/pending-answers.js'
import { useVirtualTime } from '../support/virtual-time.js'

const leaseMs = 1000

describe('createPendingAnswers', () => {
  it('lets calls wait for the later of two answers when a process has two', async () => {
    useVirtualTime()
    const { acquire } = createLeases(createMemoryStore().records, leaseMs)
    const lease = await acquire('key', leaseMs)
    if (lease === undefined) throw new Error('the lease is held')
    const answers = createPendingAnswers(leaseMs)
    const gates = [Promise.withResolvers<boolean>(), Promise.withResolvers<boolean>()]
    const [first, second] = gates.map(({ promise }) =>
      answers.store(
        'key',
        lease,
        () => promise,
        () => expect.unreachable(),
      ),
    )
    gates[0]?.resolve(false)
    expect(await first).toBe(false)
    let hasWaited = false
    const waiting = answers.wait('key').then(() => {
      hasWaited = true
    })
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(hasWaited).toBe(false)
    gates[1]?.resolve(true)
    expect(await second).toBe(true)
    await waiting
    await answers.wait('key')
  })
})
