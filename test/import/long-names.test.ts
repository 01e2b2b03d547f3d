import { readExport } from 'cofferkit/import'
import { describe, expect, it } from 'vitest'
import { measureCpuTime } from '../support/cpu-time.js'
import { toBytes, toJson } from '../support/import-vectors.js'
import { runAll } from '../support/run-all.js'
import { writeZip } from '../support/zip-files.js'

const count = 20_000_000

const onePux = (...vaults: readonly object[]): Uint8Array =>
  writeZip([{ name: 'export.data', content: toJson({ accounts: [{ vaults }] }) }])
const inDetails = (details: object): Uint8Array => onePux({ items: [{ details }] })
const login = (item: object): Uint8Array =>
  toJson({ encrypted: false, folders: [], items: [{ type: 1, ...item }] })

/** Exports with a long text of one character. */
const exports: Readonly<Record<string, (text: string) => () => unknown>> = {
  'the name of a file': (fileName) => {
    const details = { documentAttributes: { documentId: 'a', fileName } }
    const content = toJson({ accounts: [{ vaults: [{ items: [{ details }] }] }] })
    const file = { name: 'files/a__x', content: toBytes('x') }
    const bytes = writeZip([{ name: 'export.data', content }, file])
    return () => readExport(bytes)
  },
  'the text of a note': (notes) => {
    const bytes = login({ notes })
    return () => readExport(bytes)
  },
  'the name of a login': (name) => {
    const bytes = login({ name })
    // JSON escapes a NUL with six characters.
    return () => readExport(bytes, { limits: { textBytes: 7 * count } })
  },
  'the secret of a one-time password': (totp) => {
    const bytes = login({ login: { totp } })
    return () => readExport(bytes)
  },
}

describe('readExport of long texts', () => {
  // Each text is made and packed, and read four times, which takes seconds.
  it.runIf(runAll).each([
    ['/', 'the name of a file'],
    ['\n', 'the text of a note'],
    ['\0', 'the name of a login'],
    ['-', 'the secret of a one-time password'],
  ])('costs little more for 20 million times %j than for letters in %s', (character, name) => {
    const toRead = exports[name]
    // The least of two, because the collector and other processes lengthen either.
    const costOf = (text: string): number => {
      const read = toRead?.(text)
      const costs = [1, 2].map(() => {
        const cpuTime = measureCpuTime()
        read?.()
        return cpuTime()
      })
      return Math.min(...costs)
    }
    const ofLetters = costOf('a'.repeat(count))
    const { maxRSS } = process.resourceUsage()
    // Sixty million took 2 to 6 s and 1 to 2 GB.
    expect(costOf(character.repeat(count))).toBeLessThan(6 * ofLetters + 1000)
    expect((process.resourceUsage().maxRSS - maxRSS) / 1024).toBeLessThan(500)
  })

  it.each<[string, () => ReturnType<typeof readExport>]>([
    [
      'a vault',
      () => {
        const vault = { attrs: { name: 'v'.repeat(1_000_000) }, items: Array(200).fill({}) }
        return readExport(onePux(vault, { items: [{}] }))
      },
    ],
    [
      'a section',
      () => {
        const fields = Array(200).fill({ value: { string: 'a' } })
        return readExport(inDetails({ sections: [{ name: 's'.repeat(1_000_000), fields }] }))
      },
    ],
    [
      'an address',
      () => {
        const address = { street: 'a', city: 'a', zip: 'a', state: 'a', country: 'a' }
        const field = { id: 'i'.repeat(1_000_000), title: 't'.repeat(1_000_000) }
        return readExport(inDetails({ sections: [{ fields: [{ ...field, value: { address } }] }] }))
      },
    ],
  ])('repeats only the beginning of the name of %s', (_, read) => {
    expect(JSON.stringify(read()).length).toBeLessThan(500_000)
  })
})

describe('readExport', () => {
  it('keeps the last 255 characters of the last part of the name of a file', () => {
    const read = (fileName: string) => {
      const details = { documentAttributes: { documentId: 'a', fileName } }
      const content = toJson({ accounts: [{ vaults: [{ items: [{ details }] }] }] })
      const file = { name: 'files/a__x', content: toBytes('x') }
      return readExport(writeZip([{ name: 'export.data', content }, file])).files[0]?.name
    }
    expect(read('a/b\\c.txt')).toBe('c.txt')
    expect(read('a\\b/c.txt')).toBe('c.txt')
    expect(read('a/..')).toBe('file')
    expect(read(`a/${'b'.repeat(300)}${'😀'.repeat(200)}.txt`)).toBe(
      `${'b'.repeat(51)}${'😀'.repeat(200)}.txt`,
    )
    expect(read('😀'.repeat(300))).toBe('😀'.repeat(255))
  })

  it('shortens a tag of more than 500 characters, and reports it', () => {
    const item = { overview: { tags: ['t'.repeat(500), `${'u'.repeat(499)}😀`] } }
    const { items, losses } = readExport(onePux({ items: [item] }))
    expect(items[0]?.item.tags).toEqual(['t'.repeat(500), `${'u'.repeat(499)}\ufffd`])
    expect(losses.filter(({ path }) => path.endsWith('/tags'))).toMatchObject([
      { kind: 'converted', message: 'the tag was shortened to 500 characters' },
    ])
  })
})
