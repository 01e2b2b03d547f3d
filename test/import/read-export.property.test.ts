import { InvalidInputError } from 'cofferkit'
import { type ImportResult, importItems, readExport } from 'cofferkit/import'
import { createTestVault } from 'cofferkit/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../support/arbitraries/property-runs.js'
import { importVectors, readVector, secretsIn, toBytes, toJson } from '../support/import-vectors.js'
import { runAll } from '../support/run-all.js'
import { writeZip } from '../support/zip-files.js'

const samples = importVectors.map(({ name }) => readVector(name))
const texts = samples.filter(([first]) => first !== 0x50)
const objects = ['bitwarden.json', '1pux.export.data.json'].map((name): unknown =>
  JSON.parse(new TextDecoder().decode(readVector(name))),
)

/** Returns the result of `readExport`; undefined if it rejects the bytes as it should. */
function tryToRead(read: () => ImportResult): ImportResult | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error
    expect(error.cause).toBeUndefined()
    expect(secretsIn(`${error.message}${JSON.stringify(error.issues)}`)).toEqual([])
    return undefined
  }
}

/** Bytes of samples with some of them replaced, removed or repeated. */
const damaged = fc
  .tuple(
    fc.constantFrom(...samples),
    fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.nat(3)), { maxLength: 8 }),
  )
  .map(([sample, changes]) => {
    const bytes = [...sample]
    for (const [position, byte, kind] of changes) {
      const offset = position % Math.max(1, bytes.length)
      if (kind === 0) bytes[offset] = byte
      else if (kind === 1) bytes.splice(offset, byte)
      else if (kind === 2) bytes.splice(offset, 0, byte, byte)
      else bytes.length = Math.max(1, offset)
    }
    return new Uint8Array(bytes)
  })

/** Numbers that a directory can state instead of the truth. */
const claims = fc.record(
  {
    flags: fc.nat(0xffff),
    method: fc.constantFrom(0, 8, 14),
    crc: fc.nat(),
    packedSize: fc.nat(300_000),
    size: fc.nat(300_000),
    headerOffset: fc.nat(2000),
    nameSize: fc.nat(200),
  },
  { requiredKeys: [] },
)

/** Archives with any names, with contents that an export has, and with a directory that lies. */
const archives = fc
  .tuple(
    fc.array(
      fc.record({
        name: fc.oneof(
          fc.constantFrom('export.data', 'data.json', 'files/d__f', 'attachments/d/f', '__proto__'),
          fc.string({ maxLength: 20 }),
        ),
        content: fc.oneof(
          fc.constantFrom(...objects.map(toJson)),
          fc.uint8Array({ maxLength: 50 }),
        ),
        stored: fc.boolean(),
        claims,
      }),
      { maxLength: 5 },
    ),
    fc.record({ count: fc.nat(6), start: fc.nat(5000) }, { requiredKeys: [] }),
  )
  .map(([entries, end]) => writeZip(entries, end))

/** Text in which a part is repeated many times. */
const repeated = fc
  .tuple(
    fc.constantFrom('', '{"items":[', '{"encrypted":false,"items":[{"type":1},'),
    fc.constantFrom('{}', '{},', '[', '"', '""', ',', '\n', '\\', '{"a":', '"a",', ' ', '-', '\0'),
    fc.nat(150_000),
    fc.constantFrom('', ']}', ']}]}', '"', '\n'),
  )
  .map(([start, unit, count, end]) => toBytes(`${start}${unit.repeat(count)}${end}`))

/** A value of the wrong kind, to put anywhere. */
const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom('\0SWORDFISH-1', '\ud800', 'javascript:alert(1)', -1, 1e308, 'otpauth://x', []),
  fc.constantFrom({ __proto__: null, constructor: 'x' }, [[[]]], 'x'.repeat(70_000)),
)

/** Returns a copy in which the member that `path` chooses is replaced. */
function replaceAt(value: unknown, path: readonly number[], replacement: unknown): unknown {
  const [first, ...rest] = path
  if (first === undefined || typeof value !== 'object' || value === null) return replacement
  const keys = Object.keys(value)
  const key = keys[first % Math.max(1, keys.length)]
  if (key === undefined) return replacement
  const member = replaceAt(Reflect.get(value, key), rest, replacement)
  if (Array.isArray(value)) return value.map((one, index) => (String(index) === key ? member : one))
  return { ...value, [key]: member }
}

const mutated = fc
  .tuple(
    fc.constantFrom(...objects),
    fc.array(fc.tuple(fc.array(fc.nat(40), { minLength: 1, maxLength: 12 }), anyValue), {
      maxLength: 4,
    }),
  )
  .map(([object, changes]) =>
    changes.reduce((result, [path, value]) => replaceAt(result, path, value), object),
  )

describe('readExport', () => {
  it('throws nothing but an InvalidInputError, and shows no secret', () => {
    const bytes = fc.oneof(
      damaged,
      fc.uint8Array({ maxLength: 200 }),
      fc.string().map(toBytes),
      fc.jsonValue().map(toJson),
    )
    const property = fc.property(bytes, (input) => {
      const copy = input.slice()
      const result = tryToRead(() => readExport(input))
      expect(input).toEqual(copy)
      expect(secretsIn(JSON.stringify(result?.losses ?? []))).toEqual([])
    })
    fc.assert(property, { numRuns: propertyRuns(200) })
  })

  it('throws nothing but an InvalidInputError for archives that lie and for repeated parts', () => {
    const property = fc.property(fc.oneof(archives, repeated), (input) => {
      tryToRead(() => readExport(input, { limits: { elements: 1_000_000 } }))
    })
    fc.assert(property, { numRuns: propertyRuns(30) })
  })
})

describe('readExport of JSON', () => {
  it('returns drafts that a vault accepts, whatever the JSON contains', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const property = fc.asyncProperty(mutated, async (object) => {
      const json = toJson(object)
      for (const bytes of [json, writeZip([{ name: 'export.data', content: json }])]) {
        const result = tryToRead(() => readExport(bytes))
        if (result === undefined) continue
        expect(secretsIn(JSON.stringify(result.losses))).toEqual([])
        const report = await importItems(service, caller, { vaultId, ...result, dryRun: true })
        const refused = report.failures.filter(({ message }) => !/at most \d+ /.test(message))
        expect(refused).toEqual([])
      }
    })
    await fc.assert(property, { numRuns: propertyRuns(100) })
  })

  it.each(texts.map((bytes, index) => [index, bytes] as const))(
    'reads sample %i in UTF-8 and UTF-16, with and without a byte order mark',
    (_, bytes) => {
      const text = new TextDecoder().decode(bytes)
      const little = Buffer.from(`\ufeff${text}`, 'utf16le')
      const encodings = [
        Buffer.from(`\ufeff${text}`),
        little,
        little.subarray(2),
        Buffer.from(little).swap16(),
        Buffer.from(little.subarray(2)).swap16(),
      ]
      const expected = readExport(bytes)
      for (const encoding of encodings)
        expect(readExport(new Uint8Array(encoding))).toEqual(expected)
    },
  )

  it('rejects text that is too long, too deep or has too many elements', () => {
    const deep = toBytes('{"items":'.repeat(100))
    expect(() => readExport(deep)).toThrow('more than 64 levels')
    const bytes = readVector('bitwarden.json')
    expect(() => readExport(bytes, { limits: { textBytes: 100 } })).toThrow('longer than 100 bytes')
    expect(() => readExport(bytes, { limits: { elements: 10 } })).toThrow('more than 10 elements')
    expect(() => readExport(bytes, { limits: { items: 3 } })).toThrow('more than 3 items')
    const damaged = new Uint8Array([0x22, 0xff])
    expect(() => readExport(damaged)).toThrow('the text is not valid UTF-8')
  })

  // Quadratic time would take minutes.
  it.runIf(runAll)('reads many items and fields with the same id in linear time', () => {
    const items = Array.from({ length: 40_000 }, () => ({ id: 'a', type: 2, name: 'Note' }))
    const fields = Array.from({ length: 200_000 }, () => ({ name: 'a', value: 'b', type: 0 }))
    const json = toJson({ encrypted: false, folders: [], items: [...items, { type: 2, fields }] })
    const { items: read } = readExport(json, { limits: { elements: 2_000_000 } })
    expect(new Set(read.map(({ sourceId }) => sourceId)).size).toBe(40_001)
    expect(new Set(read.at(-1)?.item.fields?.map(({ id }) => id)).size).toBe(200_000)
  })
})
