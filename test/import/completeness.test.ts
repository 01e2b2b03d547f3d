import { type ImportResult, readExport } from 'cofferkit/import'
import { describe, expect, it } from 'vitest'
import { readVector, toJson } from '../support/import-vectors.js'
import { writeZip } from '../support/zip-files.js'

const token = 'SWORDFISH4711'

/** Texts that are read but not kept, besides what is in `losses`. */
const leftOut = [
  // The ids of what is not an item.
  /\/attrs\/(?:uuid|type)$/,
  // Ids, names and types of fields that have no value, or names of their own in the vault.
  /\/fields\/\d+\/(?:id|title|inputTraits\/.*)$/,
  /\/sections\/\d+\/(?:name|title)$/,
  /\/loginFields\/\d+\/(?:id|name|fieldType|designation)$/,
  // The form in which the key was pasted; the metadata has the same key.
  /\/sshKey\/privateKey$/,
  // Any time: the item is archived.
  /\/archivedDate$/,
]

interface Sample {
  readonly name: string
  readonly value: unknown
  readonly read: (value: unknown) => ImportResult
}

const parse = (name: string): unknown => JSON.parse(new TextDecoder().decode(readVector(name)))

const samples: readonly Sample[] = [
  {
    name: '1pux.export.data.json',
    value: parse('1pux.export.data.json'),
    read: (value) => readExport(writeZip([{ name: 'export.data', content: toJson(value) }])),
  },
  {
    name: 'bitwarden.json',
    value: parse('bitwarden.json'),
    read: (value) => readExport(toJson(value)),
  },
]

type Path = readonly string[]

/** Returns the paths of everything in a value for which `isWanted` returns true. */
function pathsOf(value: unknown, isWanted: (value: unknown) => boolean, path: Path = []): Path[] {
  const own = isWanted(value) ? [path] : []
  if (typeof value !== 'object' || value === null) return own
  const members = Object.entries(value)
  return [...own, ...members.flatMap(([key, member]) => pathsOf(member, isWanted, [...path, key]))]
}

/** Returns a copy of a value with another one at a path. */
function withValueAt(value: unknown, path: Path, change: (value: unknown) => unknown): unknown {
  const copy: unknown = structuredClone(value)
  const parent = path
    .slice(0, -1)
    .reduce<unknown>((one, key) => Reflect.get(Object(one), key), copy)
  const last = path.at(-1)
  if (last === undefined) return change(copy)
  Reflect.set(Object(parent), last, change(Reflect.get(Object(parent), last)))
  return copy
}

/** Returns true if the path, or anything that contains it, is one of the losses. */
function isReported({ losses }: ImportResult, path: Path): boolean {
  const text = path.join('/')
  return losses.some((loss) => loss.path === text || text.startsWith(`${loss.path}/`))
}

describe.each(samples)('the reader of $name', ({ value, read }) => {
  it('keeps every text, or reports it', () => {
    const texts = pathsOf(value, (one) => typeof one === 'string' && one !== '')
    const silent = texts.filter((path) => {
      const result = read(withValueAt(value, path, (text) => `${text}${token}`))
      const isKept = JSON.stringify(result.items).includes(token)
      return (
        !isKept &&
        !isReported(result, path) &&
        !leftOut.some((pattern) => pattern.test(path.join('/')))
      )
    })
    expect(texts.length).toBeGreaterThan(100)
    expect(silent.map((path) => path.join('/'))).toEqual([])
  })

  it('reports every unknown attribute', () => {
    const objects = pathsOf(value, (one) => Object(one) === one && !Array.isArray(one))
    const silent = objects.filter((path) => {
      const changed = withValueAt(value, path, (one) => ({ ...Object(one), futureOne: token }))
      return !isReported(read(changed), [...path, 'futureOne'])
    })
    const ofForms = silent.filter((path) => path.at(-1) !== 'inputTraits')
    expect(ofForms.map((path) => path.join('/'))).toEqual([])
  })
})
