import { describe, expect, it } from 'vitest'
import { withStore } from '../support/command/with-store.js'

describe('gc', () => {
  it('collects the garbage of every vault', () =>
    withStore(async (run) => {
      expect(await run('gc')).toEqual({
        code: 0,
        stdout: 'Deleted 0 contents in 1 vault.\n',
        stderr: '',
      })
      expect((await run('gc', '--min-age', '59')).code).toBe(2)
      expect((await run('gc', '--store', 'sqlite:none.db')).code).toBe(2)
    }))
})
