import { InvalidInputError } from 'cofferkit'
import { readExport } from 'cofferkit/import'
import { inflateSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { measureCpuTime } from '../../support/cpu-time.js'
import { toBytes, toJson } from '../../support/import-vectors.js'
import { runAll } from '../../support/run-all.js'
import { type EndClaims, writeZip, type ZipEntry } from '../../support/zip-files.js'

const document = {
  uuid: 'a',
  categoryUuid: '006',
  overview: { title: 'Document' },
  details: { documentAttributes: { documentId: 'd', fileName: 'f.txt', decryptedSize: 5 } },
}
const exportOf = (...items: readonly unknown[]) => toJson({ accounts: [{ vaults: [{ items }] }] })
const data = (claims: ZipEntry['claims'] = {}): ZipEntry => ({
  ...{ name: 'export.data', content: exportOf(document), claims },
})
const file = (claims: ZipEntry['claims'] = {}, name = 'files/d__f.txt'): ZipEntry => ({
  ...{ name, content: toBytes('hello'), claims },
})

/** Returns the message of the error that reading an archive throws; undefined if it is read. */
function messageOf(entries: readonly ZipEntry[], end?: EndClaims): string | undefined {
  try {
    readExport(writeZip(entries, end))
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInputError)
    return error instanceof Error ? error.message : undefined
  }
}

describe('openZip', () => {
  const damaged = 'the archive is damaged'

  it.each<[string, readonly ZipEntry[], EndClaims | undefined, string]>([
    ['no export', [file()], {}, 'the format of the export is not recognized'],
    ['more entries than it has', [data()], { count: 2 }, damaged],
    ['a directory outside of it', [data()], { start: 0x7fffffff }, damaged],
    ['ZIP64', [data()], { count: 0xffff }, 'the archive has the ZIP64 format, which no export'],
    ['a name outside of it', [data({ nameSize: 60_000 })], {}, damaged],
    ['encryption', [data({ flags: 1 })], {}, 'the archive is encrypted'],
    ['another compression', [data({ method: 14 })], {}, 'the archive has an unknown compression'],
    ['a wrong checksum', [data({ crc: 1 })], {}, damaged],
    ['fewer bytes than it unpacks to', [data({ size: 3 })], {}, damaged],
    ['more bytes than it unpacks to', [data({ size: 300 })], {}, damaged],
    ['more bytes than DEFLATE can make', [data({ size: 60_000_000 })], {}, damaged],
    [
      'more bytes than the limit',
      [data({ size: 0xfffffffe })],
      {},
      'the text in the archive is longer',
    ],
    ['content outside of it', [data({ packedSize: 60_000 })], {}, damaged],
    ['a header outside of it', [data({ headerOffset: 60_000 })], {}, damaged],
    ['no header where it should be', [data({ headerOffset: 1 })], {}, damaged],
  ])('rejects an archive with %s', (_, entries, end, message) => {
    expect(messageOf(entries, end)).toContain(message)
  })

  it('reads entries that are stored without compression', () => {
    expect(messageOf([{ ...data(), stored: true }, file()])).toBeUndefined()
  })

  it.runIf(runAll)('stops to unpack a bomb', () => {
    const content = new Uint8Array(80_000_000)
    const bytes = writeZip([{ name: 'export.data', content, claims: { size: 1000 } }])
    const cpuTimeOf = (run: () => void): number => {
      const cpuTime = measureCpuTime()
      run()
      return cpuTime()
    }
    const stopped = cpuTimeOf(() => expect(() => readExport(bytes)).toThrow(damaged))
    const packed = bytes.subarray(30 + 'export.data'.length)
    expect(stopped).toBeLessThan(cpuTimeOf(() => inflateSync(packed)))
    const honest = writeZip([{ name: 'export.data', content }])
    expect(() => readExport(honest)).toThrow('is longer than 67108864 bytes')
  })

  it('counts a file for each item that has it', () => {
    const items = Array.from({ length: 10 }, (_, index) => ({ ...document, uuid: `${index}` }))
    const bytes = writeZip([{ ...data(), content: exportOf(...items) }, file()])
    expect(readExport(bytes).files).toHaveLength(10)
    const message = 'the files have more than 40 bytes together'
    expect(() => readExport(bytes, { limits: { fileBytes: 40 } })).toThrow(message)
    expect(() => readExport(bytes, { limits: { entries: 1 } })).toThrow('more than 1 entries')
    expect(() => readExport(bytes, { limits: { items: 9 } })).toThrow('more than 9 items')
  })

  it('reports a damaged file and imports everything else', () => {
    const { files, items, losses } = readExport(writeZip([data(), file({ crc: 1 })]))
    expect([files, items.length]).toEqual([[], 1])
    expect(losses.map(({ message }) => message)).toEqual([
      'the file is damaged, encrypted or packed in an unknown way',
    ])
  })

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['.', 'file'],
    ['..', 'file'],
    ['a/..', 'file'],
    [`${'x'.repeat(300)}.txt`, `${'x'.repeat(251)}.txt`],
  ])('never returns a name that leads to another folder: %s', (fileName, name) => {
    const attributes = { documentId: 'd', fileName, decryptedSize: 5 }
    const item = { ...document, details: { documentAttributes: attributes } }
    const entries = [{ ...data(), content: exportOf(item) }, file({}, `files/d__${fileName}`)]
    const { files, losses } = readExport(writeZip(entries))
    expect(files.map((one) => one.name)).toEqual([name])
    expect(losses.map(({ kind }) => kind)).toEqual(['converted'])
  })

  it('is not led outside by the id of an item', () => {
    const items = [{ id: '../secrets', type: 2, name: 'Note' }]
    const entries = [
      { name: 'data.json', content: toJson({ encrypted: false, items }) },
      { name: 'attachments/../secrets/key', content: toBytes('hello') },
    ]
    const { files, losses } = readExport(writeZip(entries))
    expect([files, losses.map(({ message }) => message)]).toEqual([[], ['no item has this file']])
  })
})
