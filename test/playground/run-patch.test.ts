import { describe, expect, it } from 'vitest'
import { examples } from '../../site/playground/examples.js'
import { recordRandomBytes } from '../../site/playground/replayed-bytes.js'
import { runPatch } from '../../site/playground/run-patch.js'

const [rename] = examples
const times = { item: new Date(0), patch: new Date(1000) }

function run(texts: { item?: string; patch?: string }, isStrict = false) {
  const randomBytes = recordRandomBytes()()
  const { item = rename.item, patch = rename.patch } = texts
  return runPatch({ texts: { item, patch }, isStrict, randomBytes, times })
}

/** Returns the part of a text that the first cause of a problem names. */
function namedPart(outcome: Awaited<ReturnType<typeof run>>, text: string): string | undefined {
  const source = outcome.problem?.causes[0]?.source
  return source && text.slice(source.place.start, source.place.end)
}

describe('runPatch', () => {
  it('returns the item before and after the patch', async () => {
    const { result, problem } = await run({})
    expect(problem).toBeUndefined()
    expect(result?.before).toMatchObject({ title: 'Office router', version: 1 })
    expect(result?.after).toMatchObject({
      ...{ title: 'Front desk router', version: 2 },
      createdAt: '1970-01-01T00:00:00.000Z',
      updatedAt: '1970-01-01T00:00:01.000Z',
    })
  })

  it('returns the unchanged item with the error of the patch and its place', async () => {
    const patch = '[\n{ "op": "remove", "path": "/title" },\n{ "op": "remove", "path": "/tags/9" }]'
    const outcome = await run({ patch })
    expect(outcome.problem?.answer).toEqual({
      ...{ status: 400, code: 'INVALID_INPUT' },
      message: 'operation 1 ("/tags/9"): path does not exist',
    })
    expect(namedPart(outcome, patch)).toBe('{ "op": "remove", "path": "/tags/9" }')
    expect(outcome.result?.after).toEqual(outcome.result?.before)
  })

  it.each([
    ['[{ "op": "move", "path": "/title" }]', '"move"', '0/op'],
    ['[{ "op": "add", "path": 1, "value": 2 }]', '1', '0/path'],
    ['{}', '{}', ''],
    ['null', 'null', ''],
  ])('names the place of the error in the patch %s', async (patch, part, path) => {
    const outcome = await run({ patch })
    expect(outcome.problem).toMatchObject({ editor: 'patch', causes: [{ path }] })
    expect(namedPart(outcome, patch)).toBe(part)
  })

  it.each([
    ['{ "category": "NONE" }', '"NONE"', 'category'],
    ['{ "category": "LOGIN", "fields": [{ "id": 7 }] }', '7', 'fields/0/id'],
    ['{ "category": "LOGIN", "tags": "x" }', '"x"', 'tags'],
    ['[]', '[]', undefined],
    ['7', '7', undefined],
  ])('names the place of the error in the item %s', async (item, part, path) => {
    const outcome = await run({ item })
    expect(outcome.problem).toMatchObject({ editor: 'item', answer: { status: 400 } })
    if (path !== undefined) expect(outcome.problem?.causes[0]?.path).toBe(path)
    expect(namedPart(outcome, item)).toBe(part)
    expect(outcome.result).toBeUndefined()
  })

  it('names the attribute of the patched item that breaks a rule', async () => {
    const patch = '[{ "op": "add", "path": "/fields/password/type", "value": "DATE" }]'
    const { problem } = await run({ patch })
    expect(problem?.causes).toMatchObject([{ path: 'fields/1/value', source: undefined }])
  })

  it('names the misspelt attribute to a strict service only', async () => {
    const item = '{ "category": "LOGIN", "titel": "A" }'
    const outcome = await run({ item, patch: '[]' }, true)
    expect(outcome.problem?.answer?.message).toContain('did you mean title?')
    expect(namedPart(outcome, item)).toBe('"A"')
    expect((await run({ item, patch: '[]' })).problem).toBeUndefined()
  })

  it('returns the line and the column of a text that is not JSON', async () => {
    const outcome = await run({ patch: '[\n  { "op": }\n]' })
    expect(outcome.result).toBeUndefined()
    expect(outcome.problem).toMatchObject({
      ...{ editor: 'patch', answer: undefined },
      causes: [{ message: 'Line 2, column 11: expected a value before }.' }],
    })
  })
})

describe('recordRandomBytes', () => {
  it('yields the same bytes again from each source', () => {
    const start = recordRandomBytes()
    const [first, second] = [start(), start()]
    const bytes = [16, 3000, 1].map(first)
    expect(bytes.map(({ length }) => length)).toEqual([16, 3000, 1])
    expect([16, 3000, 1].map(second)).toEqual(bytes)
    expect(recordRandomBytes()()(16)).not.toEqual(bytes[0])
  })

  it.each([[[70_000]], [[65_536, 1]], [Array(5000).fill(16)]])(
    'yields more bytes than the generator draws at once',
    (lengths: readonly number[]) => {
      const start = recordRandomBytes()
      const bytes = Buffer.concat(lengths.map(start()))
      expect(bytes).toHaveLength(lengths.reduce((sum, length) => sum + length))
      expect(new Set(bytes.subarray(-2000)).size).toBeGreaterThan(200)
      expect(Buffer.concat(lengths.map(start()))).toEqual(bytes)
    },
  )

  it('makes an item that needs more bytes than the generator draws at once', async () => {
    const fields = Array.from({ length: 999 }, (_, index) => ({
      ...{ id: `f${index}`, type: 'CONCEALED', generate: true, recipe: { length: 64 } },
    }))
    const { result, problem } = await run({
      item: JSON.stringify({ category: 'LOGIN', title: 'Many', fields }),
      patch: '[]',
    })
    expect(problem).toBeUndefined()
    expect(result?.after.fields).toHaveLength(999)
  })

  it('makes the same password again until the bytes are drawn again', async () => {
    const example = examples.find(({ id }) => id === 'regenerate') ?? rename
    const { item, patch } = example
    const start = recordRandomBytes()
    const password = async (randomBytes: ReturnType<typeof start>) => {
      const { result } = await runPatch({
        texts: { item, patch },
        isStrict: false,
        randomBytes,
        times,
      })
      return result?.after.fields.find(({ id }) => id === 'password')?.value
    }
    const first = await password(start())
    expect(first).toMatch(/^[A-Za-z0-9]{20}$/)
    expect(await password(start())).toBe(first)
    expect(await password(recordRandomBytes()())).not.toBe(first)
  })
})
