import { InvalidInputError } from 'cofferkit'
import { readExport } from 'cofferkit/import'
import { describe, expect, it } from 'vitest'
import { readVector, toBytes, toJson } from '../support/import-vectors.js'
import { listRefusedFiles } from '../support/refused-files.js'
import { writeZip } from '../support/zip-files.js'

const toArchive = (name: string, value: unknown): Uint8Array =>
  writeZip([{ name, content: toJson(value) }])

/** Returns the message of the error with which a file is refused. */
function messageOf(bytes: Uint8Array, format?: 'bitwarden' | '1pux'): string {
  try {
    readExport(bytes, format && { format })
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInputError)
    return error instanceof Error ? error.message : ''
  }
  throw new Error('the file was not refused')
}

describe('recognizeExport', () => {
  it.each(listRefusedFiles())('refuses $file, whatever the format', ({ bytes, message }) => {
    for (const format of [undefined, 'bitwarden', '1pux'] as const)
      expect(messageOf(bytes, format)).toMatch(message)
  })

  it.each([
    ['{"items":', 'the text is not valid JSON'],
    ['PK\u0003\u0004', 'the file is not a ZIP archive'],
  ])('rejects %j, which is damaged', (text, message) => {
    expect(messageOf(toBytes(text))).toBe(message)
  })

  it.each([
    ['an export', { encrypted: false, items: [{ type: 2, name: 'Note' }] }],
    ['an old export', { folders: [], items: [{ type: 2, name: 'Note' }] }],
    ['an old export of an organization', { collections: [], items: [{ type: 2, name: 'Note' }] }],
  ])('recognizes %s of Bitwarden', (_, value) => {
    expect(readExport(toJson(value))).toMatchObject({ format: 'bitwarden', items: [{}] })
    expect(readExport(toArchive('data.json', value))).toMatchObject({ items: [{}] })
  })

  it('looks for the JSON of the program that an entry is named after', () => {
    const message = /^the file is an export of Proton Pass, /
    expect(messageOf(toArchive('data.json', { encrypted: false, vaults: {} }))).toMatch(message)
    const bitwarden = JSON.parse(new TextDecoder().decode(readVector('bitwarden.json')))
    const unknown = /^the format of the export is not recognized: /
    expect(messageOf(toArchive('export.data', bitwarden))).toMatch(unknown)
  })
})
