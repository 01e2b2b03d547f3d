import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createGroupCommit, type Transactions } from '../../../src/storage/sqlite/group-commit.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'

type Step = keyof Transactions

/**
 * Returns transactions over a list. Uncommitted entries are removed by a rollback. `failing`
 * decides which steps fail.
 */
function transactionsOver(failing: (step: Step, times: number) => unknown = () => undefined) {
  const log: string[] = []
  const stored: string[] = []
  let open: string[] | undefined
  const times = { begin: 0, commit: 0, rollback: 0 }
  const step = (name: Step): void => {
    log.push(name)
    times[name] += 1
    const error = failing(name, times[name])
    if (error !== undefined) throw error
  }
  const transactions: Transactions = {
    begin() {
      step('begin')
      open = []
    },
    commit() {
      step('commit')
      stored.push(...(open ?? []))
      open = undefined
    },
    rollback() {
      open = undefined
      step('rollback')
    },
  }
  const write = (text: string): string => {
    if (open === undefined) throw new Error('no transaction is open')
    open.push(text)
    return `wrote ${text}`
  }
  return { transactions, log, stored, write }
}

function outcomes(all: readonly PromiseSettledResult<unknown>[]): unknown[] {
  return all.map((one) => (one.status === 'fulfilled' ? one.value : one.reason))
}

describe('createGroupCommit', () => {
  it('commits writes of the same turn together, each with its own outcome', async () => {
    const { transactions, log, stored, write } = transactionsOver()
    const { commit } = createGroupCommit(transactions)
    const results = await Promise.all(['a', 'b', 'c'].map((text) => commit(() => write(text))))
    expect(results).toEqual(['wrote a', 'wrote b', 'wrote c'])
    expect(log).toEqual(['begin', 'commit'])
    expect(stored).toEqual(['a', 'b', 'c'])
  })

  it('includes a write that arrives some promises later in the same turn', async () => {
    const { transactions, log, write } = transactionsOver()
    const { commit } = createGroupCommit(transactions)
    const late = async (): Promise<string> => {
      for (let promises = 0; promises < 20; promises++) await undefined
      return commit(() => write('late'))
    }
    await Promise.all([commit(() => write('early')), late()])
    expect(log).toEqual(['begin', 'commit'])
  })

  it('commits writes of different turns in different transactions', async () => {
    const { transactions, log, write } = transactionsOver()
    const { commit } = createGroupCommit(transactions)
    await commit(() => write('a'))
    await commit(() => write('b'))
    expect(log).toEqual(['begin', 'commit', 'begin', 'commit'])
  })

  it('settles no write before the commit', async () => {
    const { transactions, log, write } = transactionsOver()
    const tasks: (() => void)[] = []
    const { commit } = createGroupCommit(transactions, (task) => tasks.push(task))
    const result = commit(() => write('a')).then((text) => log.push(text))
    await new Promise(setImmediate)
    expect(log).toEqual([])
    for (const task of tasks) task()
    await result
    expect(log).toEqual(['begin', 'commit', 'wrote a'])
  })

  it('resolves with undefined when the write returns it', async () => {
    const { commit } = createGroupCommit(transactionsOver().transactions)
    await expect(commit(() => undefined)).resolves.toBeUndefined()
  })

  it('rejects only the write that throws, and stores the others', async () => {
    const { transactions, stored, write } = transactionsOver()
    const { commit } = createGroupCommit(transactions)
    const error = new Error('of b')
    const results = await Promise.allSettled(
      ['a', 'b', 'c'].map((text) =>
        commit(() => {
          const result = write(text)
          if (text === 'b') throw error
          return result
        }),
      ),
    )
    expect(outcomes(results)).toEqual(['wrote a', error, 'wrote c'])
    expect(stored).toEqual(['a', 'c'])
  })

  it('does not retry a single write that throws', async () => {
    const { transactions, log, stored } = transactionsOver()
    const { commit } = createGroupCommit(transactions)
    const error = new Error('alone')
    const lone = commit(() => {
      throw error
    })
    await expect(lone).rejects.toBe(error)
    expect(log).toEqual(['begin', 'rollback'])
    expect(stored).toEqual([])
  })

  it('rejects the whole group without a rollback when its transaction cannot begin', async () => {
    const error = new Error('locked')
    const { transactions, log, stored, write } = transactionsOver((step, times) =>
      step === 'begin' && times === 1 ? error : undefined,
    )
    const { commit } = createGroupCommit(transactions)
    const results = await Promise.allSettled(['a', 'b'].map((text) => commit(() => write(text))))
    expect(outcomes(results)).toEqual([error, error])
    expect(log).toEqual(['begin'])
    await expect(commit(() => write('c'))).resolves.toBe('wrote c')
    expect(stored).toEqual(['c'])
  })

  it('rejects the whole group and stores none of it when the commit fails', async () => {
    const error = new Error('full')
    const { transactions, log, stored, write } = transactionsOver((step, times) =>
      step === 'commit' && times === 1 ? error : undefined,
    )
    const { commit } = createGroupCommit(transactions)
    const results = await Promise.allSettled(['a', 'b'].map((text) => commit(() => write(text))))
    expect(outcomes(results)).toEqual([error, error])
    expect(log).toEqual(['begin', 'commit', 'rollback'])
    expect(stored).toEqual([])
  })

  it('rejects with the error of the write when the rollback fails, too', async () => {
    const { transactions } = transactionsOver((step) =>
      step === 'rollback' ? new Error('nothing to roll back') : undefined,
    )
    const error = new Error('of the write')
    const { commit } = createGroupCommit(transactions)
    const failing = commit(() => {
      throw error
    })
    await expect(failing).rejects.toBe(error)
  })

  it('waits for a lock once, not once for each write', async () => {
    const locked = new Error('locked')
    const { transactions, log, stored, write } = transactionsOver((step, times) =>
      step === 'begin' && times === 3 ? locked : undefined,
    )
    const { commit } = createGroupCommit(transactions)
    const results = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((text) =>
        commit(() => {
          if (text === 'd') throw new Error('of d')
          return write(text)
        }),
      ),
    )
    expect(outcomes(results)).toEqual(['wrote a', locked, locked, locked])
    expect(log.filter((step) => step === 'begin')).toHaveLength(3)
    expect(stored).toEqual(['a'])
  })

  it('commits the queued writes once when it is flushed', async () => {
    const { transactions, log, stored, write } = transactionsOver()
    const { commit, flush } = createGroupCommit(transactions)
    const result = commit(() => write('a'))
    flush()
    expect(stored).toEqual(['a'])
    flush()
    await result
    await new Promise(setImmediate)
    expect(log).toEqual(['begin', 'commit'])
  })

  it('stores exactly the acknowledged writes, whatever step fails', async () => {
    const failures = fc.array(fc.constantFrom('begin', 'commit', 'write', undefined), {
      minLength: 1,
      maxLength: 12,
    })
    const turns = fc.array(fc.nat({ max: 5 }), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(failures, turns, async (failing, sizes) => {
        let calls = 0
        const fails = (at: string): unknown =>
          failing[calls++ % failing.length] === at ? new Error(at) : undefined
        const { transactions, stored, write } = transactionsOver((step) => fails(step))
        const tasks: (() => void)[] = []
        const { commit } = createGroupCommit(transactions, (task) => tasks.push(task))
        const acknowledged: string[] = []
        for (const [turn, size] of sizes.entries()) {
          const writes = Array.from({ length: size }, (_, index) => {
            const text = `${turn}.${index}`
            const done = commit(() => {
              if (fails('write') !== undefined) throw new Error('write')
              return write(text)
            })
            return done.then(() => acknowledged.push(text)).catch(() => {})
          })
          for (const task of tasks.splice(0)) task()
          await Promise.all(writes)
        }
        expect(stored).toEqual(acknowledged)
      }),
      { numRuns: propertyRuns() },
    )
  })
})
