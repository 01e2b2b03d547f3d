import { describe, expect, it, vi } from 'vitest'
import { callAround } from '../../src/base/call-around.js'
import { notFoundError } from '../../src/base/fixed-errors.js'
import { RuleError } from '../../src/errors.js'

const missing = notFoundError('item', 'a')

describe('callAround', () => {
  it('returns the result of run, which is called once with what the hook passes', async () => {
    const values: unknown[] = []
    const result = await callAround<number, string>(
      'hook',
      async (next) => {
        await next('a')
        await next('b')
      },
      async (value) => values.push(value),
    )
    expect([result, values]).toEqual([1, ['a']])
  })

  it('rejects with the error of run even if the hook does not throw it again', async () => {
    const call = callAround(
      'hook',
      (next) => next().catch(() => {}),
      async () => Promise.reject(missing),
    )
    await expect(call).rejects.toBe(missing)
  })

  it.each([
    [() => Promise.reject(missing), missing],
    [() => Promise.reject(new Error('SWORDFISH')), new RuleError('hook failed')],
    [() => {}, new RuleError('hook must call next')],
  ])('rejects without a result when the hook refuses or fails: %s', async (hook, error) => {
    const call = callAround('hook', hook, () => expect.unreachable())
    await expect(call).rejects.toEqual(error)
  })

  it('rejects with the refusal, after the run has ended, when the hook does not wait for it', async () => {
    const { promise, reject } = Promise.withResolvers<string>()
    let isOver = false
    const call = callAround(
      'hook',
      async (next) => {
        // Not awaited: a rejection that nobody handles would end the process.
        next()
        throw missing
      },
      () => promise,
    ).finally(() => {
      isOver = true
    })
    await new Promise(setImmediate)
    expect(isOver).toBe(false)
    reject(new Error('the provider has failed'))
    await expect(call).rejects.toBe(missing)
  })

  it('does not run when next is called after the hook has settled', async () => {
    const run = vi.fn(async () => 'token')
    let late: (() => Promise<void>) | undefined
    const call = callAround(
      'hook',
      async (next) => {
        late = next
      },
      run,
    )
    await expect(call).rejects.toThrow(RuleError)
    await expect(late?.()).rejects.toThrow(RuleError)
    expect(run).not.toHaveBeenCalled()
  })
})
