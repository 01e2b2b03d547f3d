import { InvalidInputError } from 'cofferkit'
import { type ImportLimits, type ImportResult, importItems, readExport } from 'cofferkit/import'
import { createTestVault } from 'cofferkit/testing'
import { describe, expect, it } from 'vitest'
import { toBytes, toJson } from '../../support/import-vectors.js'
import { writeZip } from '../../support/zip-files.js'

const document = (...fileNames: readonly string[]) => {
  const files = fileNames.map((fileName) => ({ documentId: 'd', fileName, decryptedSize: 5 }))
  const fields = files.map((value) => ({ id: 'f', title: 'file', value: { file: value } }))
  return {
    ...{ uuid: 'a', categoryUuid: '006', overview: { title: 'Document' } },
    details: { sections: [{ name: 's', title: 'Files', fields }] },
  }
}

/** Reads an export of 1Password with these items, and a file for each name with the name as its content. */
function readItems(
  items: readonly unknown[],
  fileNames: string | readonly string[],
  limits: ImportLimits = {},
): ImportResult {
  const files = [fileNames].flat().map((name) => {
    return { name: `files/d__${name}`, content: toBytes(name) }
  })
  const content = toJson({ accounts: [{ vaults: [{ items }] }] })
  return readExport(writeZip([{ name: 'export.data', content }, ...files]), { limits })
}

const namesOf = ({ files }: ImportResult) => files.map(({ sourceId, name }) => [sourceId, name])

/** Imports a result twice, and returns the names of the files of each item, sorted. */
async function importTwice(result: ImportResult): Promise<readonly string[]> {
  const { service, caller, vaultId } = await createTestVault()
  await service.deleteItem(caller, {
    vaultId,
    itemId: (await service.listItems(caller, { vaultId }))[0]?.id ?? '',
  })
  const report = await importItems(service, caller, { ...result, vaultId })
  expect(report).toMatchObject({ files: result.files.length, failures: [] })
  const again = await importItems(service, caller, { ...result, vaultId })
  expect(again).toMatchObject({ unchanged: result.items.length, files: 0, failures: [] })
  const names: string[] = []
  for (const { id: itemId } of await service.listItems(caller, { vaultId }))
    for (const { name } of await service.listFiles(caller, { vaultId, itemId })) names.push(name)
  return names.sort()
}

describe('createAttachments', () => {
  it('gives the files of a repeated id to the first of its items only', async () => {
    const item = { id: 'i', type: 2, name: 'Note', secureNote: { type: 0 } }
    const entries = ['a.txt', 'b.txt'].map((name) => ({
      name: `attachments/i/${name}`,
      content: toBytes(name),
    }))
    const content = toJson({ encrypted: false, items: [item, item, item] })
    const result = readExport(writeZip([{ name: 'data.json', content }, ...entries]))
    expect(result.items.map(({ sourceId }) => sourceId)).toEqual([
      'bitwarden:i',
      'bitwarden:i#2',
      'bitwarden:i#3',
    ])
    expect(namesOf(result)).toEqual([
      ['bitwarden:i', 'a.txt'],
      ['bitwarden:i', 'b.txt'],
    ])
    expect(await importTwice(result)).toEqual(['a.txt', 'b.txt'])
  })

  it('gives each item its file when items and files have the same ids', async () => {
    const result = readItems([document('a.txt'), document('a.txt')], 'a.txt')
    expect(namesOf(result)).toEqual([
      ['1pux:a', 'a.txt'],
      ['1pux:a#2', 'a.txt'],
    ])
    expect(await importTwice(result)).toEqual(['a.txt', 'a.txt'])
  })

  it('unpacks an entry once, however many items name it', () => {
    const items = Array.from({ length: 500 }, () => document('a.txt'))
    const { files } = readItems(items, 'a.txt')
    expect(files).toHaveLength(500)
    expect(new Set(files.map(({ content }) => content)).size).toBe(1)
  })

  it('rejects an item with more files than the limit', () => {
    const names = Array.from({ length: 1001 }, () => 'a.txt')
    expect(() => readItems([document(...names)], 'a.txt')).toThrow(InvalidInputError)
    const two = document('a.txt', 'a.txt')
    const message = 'an item has more than 1 files'
    expect(() => readItems([two], 'a.txt', { files: 1 })).toThrow(message)
    expect(readItems([two], 'a.txt', { files: 2 }).files).toHaveLength(2)
  })

  it('adds 130,000 files to an item when the limits allow it', () => {
    const fields = Array(130_000).fill({ value: { file: { documentId: 'd', fileName: '' } } })
    const item = { details: { sections: [{ fields }] } }
    const limits = { files: 130_000, elements: 1_000_000 }
    expect(readItems([item], '', limits).files).toHaveLength(130_000)
  })

  it('keeps each file of an item when all of them have the same id', async () => {
    const result = readItems([document('a.txt', 'b.txt', 'a.txt')], ['a.txt', 'b.txt'])
    expect(new Set(result.files.map(({ id }) => id)).size).toBe(3)
    expect(result.files.map(({ content }) => new TextDecoder().decode(content))).toEqual([
      'a.txt',
      'b.txt',
      'a.txt',
    ])
    expect(await importTwice(result)).toEqual(['a.txt', 'a.txt', 'b.txt'])
  })
})
