import { InvalidInputError } from 'cofferkit'
import { readExport } from 'cofferkit/import'
import { describe, expect, it } from 'vitest'
import { costlyExports } from '../../tools/reliability/dos/exports.js'
import { measureCpuTime } from '../support/cpu-time.js'
import { toBytes, toJson } from '../support/import-vectors.js'
import { runAll } from '../support/run-all.js'
import { writeZip } from '../support/zip-files.js'

const exports = costlyExports(400_000)

describe('readExport of a costly export', () => {
  it.each(runAll ? exports : exports.filter(({ name }) => name === 'bitwarden: fields'))(
    'reads an export at the default limits in seconds: $name',
    ({ bytes, text }) => {
      const parsing = measureCpuTime()
      JSON.parse(text)
      const parsed = parsing()
      const reading = measureCpuTime()
      expect(() => readExport(bytes)).not.toThrow()
      // The figures on a quiet machine are those of `npm run prove`.
      expect(reading()).toBeLessThan(2 * parsed + 6000)
    },
  )

  it('rejects more than 400,000 elements before it makes an object', () => {
    const text = `{"accounts":[{"vaults":[{"items":[${Array(200_001).fill('{}').join(',')}]}]}]}`
    const archive = writeZip([{ name: 'export.data', content: toBytes(text) }])
    expect(archive.length).toBeLessThan(2000)
    const { parse } = JSON
    let parsed = 0
    JSON.parse = (...args) => {
      parsed++
      return parse(...args)
    }
    try {
      const message = 'the JSON has more than 400000 elements'
      expect(() => readExport(archive)).toThrow(message)
      expect(() => readExport(toBytes(text))).toThrow(message)
      expect(parsed).toBe(0)
    } finally {
      JSON.parse = parse
    }
  })

  it('does not repeat a long title in every one-time password', () => {
    const fields = Array(1000).fill({ value: { totp: 'AB' } })
    const item = { overview: { title: 'x'.repeat(100_000) }, details: { sections: [{ fields }] } }
    const content = toJson({ accounts: [{ vaults: [{ items: [item] }] }] })
    const { items } = readExport(writeZip([{ name: 'export.data', content }]))
    const value = items[0]?.item.fields?.at(-1)?.value
    expect(value).toBe(`otpauth://totp/${'x'.repeat(200)}?secret=AB`)
  })
})

describe('readExport', () => {
  it('parses a text of JSON once', () => {
    const { parse } = JSON
    let parsed = 0
    JSON.parse = (...args) => {
      parsed++
      return parse(...args)
    }
    try {
      expect(
        readExport(toJson({ encrypted: false, items: [{ type: 1, name: 'a' }] })).items,
      ).toHaveLength(1)
      expect(parsed).toBe(1)
    } finally {
      JSON.parse = parse
    }
  })

  it.each([
    ['objects', '{"a":', '}'],
    ['arrays', '[', ']'],
  ])('rejects a million nested %s', (_, start, end) => {
    const nested = start.repeat(1_000_000) + end.repeat(1_000_000)
    expect(() => readExport(toBytes(`{"items":${nested}}`))).toThrow(InvalidInputError)
  })
})
