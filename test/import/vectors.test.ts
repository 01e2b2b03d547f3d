import { connectDialect } from 'cofferkit/connect'
import { type ImportLoss, importItems, readExport } from 'cofferkit/import'
import { createTestVault } from 'cofferkit/testing'
import { unzipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { importVectors, readVector, secretsIn } from '../support/import-vectors.js'

function countByKind(losses: readonly ImportLoss[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { kind } of losses) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

/** Returns the text of a sample, of all entries if it is an archive. */
function textOf(name: string): string {
  const bytes = readVector(name)
  if (bytes[0] !== 0x50) return new TextDecoder().decode(bytes)
  const entries = Object.values(unzipSync(bytes))
  return entries.map((content) => new TextDecoder().decode(content)).join('\n')
}

describe('readExport', () => {
  it.each(importVectors)('carries over $name, and reports every loss', (vector) => {
    const { name, format, items, files, losses, dropped = 0 } = vector
    const result = readExport(readVector(name))
    expect({
      format: result.format,
      items: result.items.length,
      files: result.files.length,
      losses: countByKind(result.losses),
    }).toEqual({ format, items, files, losses })

    const carried = secretsIn(JSON.stringify(result.items))
    expect(secretsIn(textOf(name)).length - carried.length).toBe(dropped)
    expect(secretsIn(JSON.stringify(result.losses))).toEqual([])
    expect(secretsIn(JSON.stringify(result.items.map(({ sourceId }) => sourceId)))).toEqual([])
    const ids = result.items.map(({ sourceId }) => sourceId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it.each(importVectors)('returns drafts for $name that both dialects accept', async ({ name }) => {
    for (const options of [{}, { dialect: connectDialect }]) {
      const { service, caller, vaultId } = await createTestVault(options)
      const result = readExport(readVector(name))
      const plan = await importItems(service, caller, { vaultId, ...result, dryRun: true })
      expect(await service.listItems(caller, { vaultId })).toHaveLength(1)
      const report = await importItems(service, caller, { vaultId, ...result })
      const counts = { created: result.items.length, completed: 0, unchanged: 0, failures: [] }
      expect(report).toMatchObject({ ...counts, files: result.files.length, dryRun: false })
      expect(plan).toEqual({ ...report, dryRun: true })
      const again = await importItems(service, caller, { vaultId, ...result })
      expect(again).toMatchObject({ created: 0, completed: 0, unchanged: counts.created, files: 0 })
    }
  })

  it('reads the sample whose JSON is beside it', () => {
    const archive = unzipSync(readVector('sample.1pux'))
    const parse = (bytes?: Uint8Array): unknown => JSON.parse(Buffer.from(bytes ?? []).toString())
    expect(parse(archive['export.data'])).toEqual(parse(readVector('1pux.export.data.json')))
    expect(readExport(readVector('sample.1pux')).files.map(({ name }) => name)).toEqual([
      'contract.txt',
      'scan.png',
      'letter.txt',
    ])
  })
})
