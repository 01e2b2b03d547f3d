import { describe, expect, it, vi } from 'vitest'
import { unreadableRecordError } from '../../../src/base/fixed-errors.js'
import { createErrorReporter } from '../../../src/core/runtime/report-error.js'
import type { UnreadableError } from '../../../src/core/runtime/report-unreadable.js'
import {
  createUnreadableReporter,
  skipUnreadable,
} from '../../../src/core/runtime/report-unreadable.js'
import { useVirtualTime } from '../../support/virtual-time.js'

const errorOf = (id: string): UnreadableError =>
  unreadableRecordError({ collection: 'items/v', id, version: 1 }) as UnreadableError

describe('createUnreadableReporter', () => {
  it('reports each record once a minute', async () => {
    useVirtualTime()
    const onError = vi.fn()
    const report = createUnreadableReporter(onError)
    for (const id of ['a', 'b', 'a', 'b']) report(errorOf(id))
    expect(onError.mock.calls.map(([{ record }]) => record.id)).toEqual(['a', 'b'])
    await new Promise((resolve) => setTimeout(resolve, 60_000))
    report(errorOf('a'))
    expect(onError).toHaveBeenCalledTimes(3)
  })

  it('reports at most 1,000 records a minute, and remembers no more', async () => {
    useVirtualTime()
    const onError = vi.fn()
    const report = createUnreadableReporter(onError)
    for (let count = 0; count < 3000; count++) report(errorOf(String(count % 1500)))
    expect(onError).toHaveBeenCalledTimes(1000)
    await new Promise((resolve) => setTimeout(resolve, 60_000))
    report(errorOf('1400'))
    expect(onError).toHaveBeenCalledTimes(1001)
  })
})

describe('createErrorReporter', () => {
  it('ignores errors that onError throws or rejects with', () => {
    const failures = [
      () => {
        throw new Error('ignored')
      },
      async () => {
        throw new Error('ignored')
      },
    ]
    for (const onError of failures)
      expect(() => createErrorReporter(onError)(errorOf('a'))).not.toThrow()
  })
})

describe('skipUnreadable', () => {
  it('rejects with an error that is not that of this record', async () => {
    const reports = { reportUnreadable: vi.fn() }
    const key = { collection: 'items/v', id: 'a' }
    for (const error of [new Error('other'), errorOf('b')])
      await expect(skipUnreadable(reports, key, () => Promise.reject(error))).rejects.toBe(error)
    expect(reports.reportUnreadable).not.toHaveBeenCalled()
  })
})
