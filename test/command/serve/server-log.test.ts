import { describe, expect, it } from 'vitest'
import { CommandError } from '../../../src/command/command-error.js'
import type { CommandLine } from '../../../src/command/command-line.js'
import { createServerLog } from '../../../src/command/serve/server-log.js'
import { StorageError } from '../../../src/index.js'

function createLog(isJson: boolean, isQuiet = false) {
  const output = { stdout: '', stderr: '' }
  const collect = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      output[name] += text
    },
  })
  const process = { stdout: collect('stdout'), stderr: collect('stderr') }
  let now = 0
  const log = createServerLog({ process } as unknown as CommandLine, {
    ...{ isJson, isQuiet },
    now: () => now,
  })
  return {
    ...{ log, output },
    wait(milliseconds: number) {
      now += milliseconds
    },
    lines: () => output.stderr.trimEnd().split('\n'),
  }
}

describe('createServerLog', () => {
  it('writes every kind of line as JSON with its level and time', () => {
    const { log, output } = createLog(true)
    log.event('listening', { origin: 'x' }, 'text')
    log.request({ method: 'GET', path: '/', status: 200, ms: 1, requestId: 'a', caller: 'ci' })
    log.request({ method: 'GET', path: '/', status: 503, ms: 1, requestId: 'b' })
    log.warn('careful')
    log.error(new CommandError('failed', 'Do this.'), 'c')
    const read = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
    expect(read(output.stdout)).toMatchObject([
      { level: 'info', time, event: 'listening', origin: 'x' },
      { level: 'info', time, event: 'request', requestId: 'a', caller: 'ci' },
      { level: 'error', time, event: 'request', requestId: 'b' },
    ])
    expect(read(output.stderr)).toEqual([
      { level: 'warn', time, event: 'warning', message: 'careful' },
      {
        level: 'error',
        time,
        event: 'error',
        requestId: 'c',
        message: 'failed',
        hint: 'Do this.',
      },
    ])
  })

  it('writes an error that repeats once a minute, with the number of the others', () => {
    const { log, lines, wait } = createLog(false)
    for (let count = 0; count < 5; count++) log.error(new StorageError('failed'), `id-${count}`)
    log.error(new StorageError('another'), 'id-5')
    expect(lines()).toEqual(['request id-0: error: failed', 'request id-5: error: another'])
    wait(60_000)
    log.error(new StorageError('failed'), 'id-6')
    expect(lines().slice(2)).toEqual([
      'request id-6: error: failed (and 4 more times since the last such line)',
    ])
    log.error(new StorageError('failed'), 'id-7')
    log.flush()
    expect(lines().slice(3)).toEqual(['error: failed (and 1 more times since the last such line)'])
  })

  it('writes no message of a foreign error, and nothing but errors when it is quiet', () => {
    const { log, output } = createLog(true, true)
    log.event('listening', {}, 'text')
    log.request({ method: 'GET', path: '/', status: 200, ms: 1, requestId: 'a' })
    log.error(new TypeError('s3cret'))
    expect(output.stdout).toBe('')
    expect(output.stderr).not.toContain('s3cret')
    expect(JSON.parse(output.stderr)).toMatchObject({
      message: 'This is a bug in cofferkit: TypeError',
      stack: expect.arrayContaining([expect.stringMatching(/^at /)]),
    })
  })
})
