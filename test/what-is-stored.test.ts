import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  allKinds,
  credentialRecords,
  isTombstone,
  itemRecords,
  type StoredKind,
  vaultKinds,
  vaultRecords,
} from '../src/base/stored-records.js'
import { createEncryptedStore } from '../src/storage/encrypted.js'
import { createKeyNames } from '../src/storage/etcd/keys.js'
import { createMemoryStore } from '../src/storage/memory.js'
import * as mysql from '../src/storage/mysql/tables.js'
import * as postgres from '../src/storage/postgres/tables.js'
import { schemaMigrations } from '../src/storage/sql/sqlite-schema.js'
import { openSqliteStore } from '../src/storage/sqlite.js'
import { findBlocks, readPage } from './support/source/pages.js'
import { copyWrites, createKeys } from './support/stores/encrypted-stores.js'
import { createDatabasePath, openNodeDatabase } from './support/stores/sqlite.js'
import { chosenIds, kindOf, memberPathsOf, useEveryForm } from './support/stores/use-every-form.js'

const page = 'docs/what-is-stored.md'
const text = readPage(page)
/** The section of each collection in the table of records, which links to it. */
const sections = new Map(
  [...text.matchAll(/^\| \[`([^`]+)`\]\(#([\w-]+)\) \|/gm)].map(([, name = '', fragment = '']) => {
    const heading = new RegExp(`^### ${fragment.replace('-', ' ')}\n([\\s\\S]*?)(?=^##)`, 'im')
    return [name, heading.exec(text)?.[1] ?? '']
  }),
)

/** The cells of the table of records, by collection. */
const rows = new Map(
  rowsOf(text)
    .filter(({ header }) => header === 'Collection')
    .map(({ cells }) => [codesIn(cells[0])[0] ?? '', cells]),
)

/** Ids of records, by collection. */
const ids: Readonly<Record<string, RegExp>> = {
  vaults: /^[\da-z]{26}$/,
  'items/{vaultId}': /^[\da-z]{26}$/,
  'versions/{vaultId}': /^[\da-z]{26}\.\d{10}$/,
  'pending-blobs/{vaultId}': /^[0189][a-z2-7]{25}$/,
  'credentials/{vaultId}': /^[\da-z]{26}$/,
  activity: /^\d{13}\.[\da-f]{32}(?:\.[\da-z]{26})?!?$/,
  leases: /^[\da-z]{26}\/[\da-z]{26}$/,
  keys: /^(?:[\da-z]{26}|vaults|activity|leases)$/,
  seal: /^tenant-1$/,
  'health/activity': /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/,
  'copy/vaults': /^unfinished$/,
}

/** Index keys in a store without encryption, by collection. */
const indexKeys: Readonly<Record<string, RegExp>> = {
  vaults: /^team$/,
  'items/{vaultId}': /^[a-z ()]+$/,
  activity: /^[\da-z]{26}$/,
}

/** Returns the rows of the tables in a text, as the header of their first cell and all cells. */
function rowsOf(section: string): readonly { header: string; cells: readonly string[] }[] {
  return [...section.matchAll(/(?:^\|.*\n)+/gm)].flatMap(([table]) => {
    const [header = [], , ...rows] = table
      .trimEnd()
      .split('\n')
      .map((row) => row.slice(2, -2).split(' | '))
    return rows.map((cells) => ({ header: header[0] ?? '', cells }))
  })
}

function codesIn(cell = ''): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
}

/** Returns the path and those of the objects and lists that contain it. */
function withParents(path: string): readonly string[] {
  const steps = path.split('.')
  return steps.flatMap((step, index) => {
    const own = [...steps.slice(0, index), step].join('.')
    return own.endsWith('[]') ? [own.slice(0, -2)] : [own]
  })
}

const lines: Readonly<Record<string, string>> = {
  Member: 'line 1',
  'First line': 'line 1',
  'Second line': 'line 2',
}

/** The members that the page has for each collection. Older versions of items have those of items. */
function pathsOnPage(kind: string): ReadonlySet<string> {
  const name = kind === 'versions/{vaultId}' ? 'items/{vaultId}' : kind
  return new Set(
    rowsOf(sections.get(name) ?? '').flatMap(({ header, cells: [first] }) =>
      codesIn(first).flatMap((path) =>
        lines[header] === undefined
          ? []
          : withParents(path).map((own) => `${lines[header]}: ${own}`),
      ),
    ),
  )
}

/** Uses everything in a store, and returns what was written to it, and through its encryption. */
async function writeEverything() {
  const plain = copyWrites(createMemoryStore())
  const inner = copyWrites(createMemoryStore())
  const encrypted = createEncryptedStore(inner, { keys: createKeys() })
  const both = copyWrites(encrypted)
  await useEveryForm(plain, plain.records)
  await useEveryForm(both, inner.records)
  return { plain, inner, encrypted, both }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

describe('docs/what-is-stored.md', () => {
  it('has a row for each collection that is written, as the table of the source, and no other', async () => {
    const { plain, inner } = await writeEverything()
    const kinds = [...plain.written, ...inner.written].map(({ collection }) => kindOf(collection))
    const written = [...new Set(kinds)].sort()
    expect([...rows.keys()].sort()).toEqual(written)
    expect(allKinds.map(({ collection }) => collection).sort()).toEqual(written)
    expect(Object.keys(ids).sort()).toEqual(written)
  })

  it('has a section for each collection with members, and for no other', () => {
    const sectionsOnPage = new Set(sections.values())
    expect(sectionsOnPage).not.toContain('')
    const records = text.slice(text.indexOf('## Records\n'), text.indexOf('## Blobs\n'))
    expect(records.match(/^### /gm)).toHaveLength(sectionsOnPage.size)
    const withoutMembers = ['copy/vaults', 'health/activity']
    expect([...rows.keys()].filter((name) => !sections.has(name)).sort()).toEqual(withoutMembers)
  })

  it.each(allKinds.map((kind) => [kind.collection, kind] as const))(
    'says of %s what the table of the source does',
    (collection, { indexKeyOf, tombstoneOf, blobIdsOf }) => {
      const [, , indexKey, , deletion = ''] = rows.get(collection) ?? []
      expect(indexKey === 'none').toBe(indexKeyOf === undefined)
      expect(/tombstone/.test(deletion)).toBe(tombstoneOf !== undefined)
      const paths = [...pathsOnPage(collection)]
      expect(paths.some((path) => /: blob(?:s|Ids)$/.test(path))).toBe(blobIdsOf !== undefined)
    },
  )

  it('names the collections of a vault, as docs/encryption-keys.md does', () => {
    const [, named = ''] =
      /in the collections (`items.*?)\. Do not/.exec(readPage('docs/encryption-keys.md')) ?? []
    expect([...codesIn(named)].sort()).toEqual(
      vaultKinds.map(({ collection }) => collection).sort(),
    )
  })

  it('has each member that is written, and no other', async () => {
    const { plain, inner } = await writeEverything()
    const rings = inner.written.filter(({ collection }) => /^(?:keys|seal)$/.test(collection))
    const paths = new Map<string, Set<string>>()
    for (const { collection, body } of [...plain.written, ...rings]) {
      const kind = kindOf(collection)
      const found = paths.get(kind) ?? new Set()
      paths.set(kind, found)
      for (const path of memberPathsOf(body)) found.add(path)
    }
    const versions = paths.get('versions/{vaultId}') ?? new Set()
    const onPage = pathsOnPage('versions/{vaultId}')
    expect([...versions].filter((path) => !onPage.has(path))).toEqual([])
    paths.delete('versions/{vaultId}')
    for (const [kind, found] of paths)
      expect({ kind, paths: [...found].sort() }).toEqual({
        kind,
        paths: [...pathsOnPage(kind)].sort(),
      })
  })

  it('has each state of a lease', async () => {
    const { plain } = await writeEverything()
    const bodies = plain.written.filter(({ collection }) => collection === 'leases')
    const states = bodies.map(({ body }) => JSON.parse(new TextDecoder().decode(body)).state)
    const rows = rowsOf(sections.get('leases') ?? '').filter(({ header }) => header === 'State')
    expect(rows.flatMap(({ cells }) => codesIn(cells[0])).sort()).toEqual(
      [...new Set(states)].sort(),
    )
  })

  it('has the tombstones, byte for byte', async () => {
    const { plain } = await writeEverything()
    const bodies = plain.written.map(({ body }) => new TextDecoder().decode(body))
    const isWritten = (kind: StoredKind): boolean =>
      plain.written.some(
        ({ collection, id, body }) =>
          kindOf(collection) === kind.collection && isTombstone(kind, id, body),
      )
    const replaced = [vaultRecords, itemRecords, credentialRecords]
    expect(allKinds.filter(isWritten)).toEqual(replaced)
    const vault = `{"id":"${chosenIds.vaultId}","deleted":true}`
    expect(bodies).toContain(vault)
    expect(sections.get('vaults')).toContain(vault.replace(chosenIds.vaultId, '…'))
    const [header = '', item = ''] =
      bodies.find((body) => body.startsWith('{"format":1,"deleted"'))?.split('\n') ?? []
    expect(sections.get('items/{vaultId}')).toContain(`exactly \`${header}\` and \`${item}\``)
    const credential = '{"deleted":true}'
    expect(bodies).toContain(credential)
    expect(sections.get('credentials/{vaultId}')).toContain(`exactly \`${credential}\``)
  })

  it('has the forms of ids, index keys and versions', async () => {
    const { plain, inner } = await writeEverything()
    for (const { collection, id, indexKey } of [...plain.written, ...inner.written]) {
      const kind = kindOf(collection)
      expect(id).toMatch(ids[kind] ?? /^$/)
      if (!(kind in indexKeys)) expect(indexKey).toBeUndefined()
    }
    for (const { collection, indexKey } of plain.written)
      if (indexKey !== undefined) expect(indexKey).toMatch(indexKeys[kindOf(collection)] ?? /^$/)
    for (const { indexKey } of inner.written)
      if (indexKey !== undefined) expect(indexKey).toMatch(/^[\w+/]{22}==$/)
    for (const { id } of plain.contents) expect(id).toMatch(/^[\da-z]{26}\/[0189][a-z2-7]{25}$/)
    for (const { id } of inner.contents) expect(id).toMatch(/^[\da-z]{26}\/.{26}\.sealed$/)
  })

  it('has the scopes of keys, as docs/encryption-keys.md and FORMAT.md do', async () => {
    const { inner } = await writeEverything()
    const rings = inner.written.filter(({ collection }) => collection === 'keys')
    const scopes = new Set(
      rings.map(({ id }) => (id === chosenIds.vaultId ? "a vault's id" : `\`${id}\``)),
    )
    const isScope = /scope: (a vault's id, .*?)(?:\.| \|)/
    for (const path of [page, 'docs/encryption-keys.md', 'src/storage/encrypted/FORMAT.md']) {
      const [, named = ''] = isScope.exec(readPage(path)) ?? []
      expect({ path, named: named.split(/, | or /).sort() }).toEqual({
        path,
        named: [...scopes].sort(),
      })
    }
  })

  it('says how much longer everything is in an encrypted store', async () => {
    const { inner, both } = await writeEverything()
    const records = inner.written.filter(({ collection }) => !/^(?:keys|seal)$/.test(collection))
    expect(records).toHaveLength(both.written.length)
    for (const { collection, id, body, indexKey } of both.written) {
      const length = body.length + (indexKey === undefined ? 48 : 64)
      const isFound = records.some(
        (record) =>
          record.collection === collection && record.id === id && record.body.length === length,
      )
      expect(isFound).toBe(true)
    }
    for (const { body } of records) expect(body[0]).toBe(1)
    const sizes = both.contents.map(({ bytes }) => bytes.length + 24 + 16)
    expect(inner.contents.map(({ bytes }) => bytes.length)).toEqual(sizes)
  })
})

describe('the tables of docs/what-is-stored.md', () => {
  const [, databases = ''] = text.split('## In each database\n')
  const ofDatabases = rowsOf(databases)

  /** Returns `table: column, column` for each statement that creates a table. */
  function tablesIn(statements: readonly string[]): readonly string[] {
    return statements.flatMap((statement) => {
      const [, name, columns = ''] =
        /^create table (?:if not exists )?["`]?(\w+)["`]? \(([\s\S]*)\)/i.exec(statement) ?? []
      if (name === undefined) return []
      const names = [...columns.matchAll(/(?:^|,)\s*[`]?(\w+)[`]? (?!KEY)/g)].map(([, own]) => own)
      return [`${name}: ${names.filter((own) => !/^[A-Z]/.test(own ?? '')).join(', ')}`]
    })
  }

  it.each([
    ['SQLite', schemaMigrations.flat()],
    [
      'PostgreSQL',
      [
        postgres.migrationsTableStatement(postgres.tableNames(postgres.tableOptions.read({}))),
        ...postgres
          .migrationsFor(postgres.tableNames(postgres.tableOptions.read({})), 'postgresql')
          .flat(),
      ],
    ],
    [
      'MySQL',
      [
        mysql.migrationsTableStatement(mysql.tableNames(mysql.tableOptions.read({}))),
        ...mysql.migrationsFor(mysql.tableNames(mysql.tableOptions.read({}))).flat(),
      ],
    ],
  ])('are those that %s gets, with each column', (name, statements) => {
    const { cells = [] } = ofDatabases.find(({ cells: [first] }) => first?.includes(name)) ?? {}
    const onPage = cells.slice(1).flatMap((cell) =>
      cell
        .split('; ')
        .map((one) => one.replaceAll('`', ''))
        .filter((one) => one !== ''),
    )
    const made = tablesIn(statements)
    expect(made).toHaveLength(4)
    expect([...onPage].sort()).toEqual([...made].sort())
  })

  it('have the beginnings of the keys in etcd', () => {
    const names = createKeyNames('cofferkit/')
    const keys = [
      names.record('vaults', 'a'),
      names.entry('vaults', 'a'),
      names.index('vaults', 'Team', 'a'),
      names.blob('a'),
      names.chunk('a', 'writer', 0),
    ]
    const kinds = keys.map((key) => Buffer.from(key, 'base64').toString().split('\0')[0])
    const { cells = [] } = ofDatabases.find(({ cells: [first] }) => first?.includes('etcd')) ?? {}
    expect(codesIn(cells.join(' '))).toEqual(kinds)
  })

  it('have a query that counts the records of each collection', async () => {
    vi.useRealTimers()
    const path = createDatabasePath()
    const store = await openSqliteStore(path)
    await store.records.put({ collection: 'vaults', id: 'a' }, { body: new Uint8Array(9) }, 0)
    await store.close()
    const [query] = findBlocks(page).filter(({ kind }) => kind === 'sql')
    expect(
      openNodeDatabase(path)
        .prepare(query?.text ?? '')
        .all(),
    ).toEqual([{ collection: 'vaults', records: 1, bytes: 9 }])
  })
})
