/** The storage by hand on better-sqlite3: a row for each item and one for each content. */

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { newId, type StoredItem } from '../../building-blocks.js'
import { content, listedCount, listedVaultId, storedItem, vaultId } from '../../sample.js'
import {
  createItem,
  findFile,
  type HandwrittenVault,
  patchItem,
  replaceItem,
  requireFound,
  requireVault,
  toBase64,
  toSummary,
} from '../handwritten-vault.js'

/**
 * Creates a vault with `count` stored items in a new file in the folder. Each change is durable
 * before it is acknowledged. The driver is synchronous, so no two changes can conflict.
 */
export function createSqliteVault(count: number, folder: string): HandwrittenVault {
  const database = new Database(join(folder, `${process.pid}.db`))
  database.pragma('journal_mode = wal')
  database.pragma('synchronous = full')
  database.exec(`create table items (id text primary key, vault text not null, body text not null) strict;
    create index items_of_vault on items (vault, id);
    create table contents (id text primary key, bytes blob not null) strict`)
  const insert = database.prepare('insert into items values (?, ?, ?)')
  const update = database.prepare('update items set body = ? where id = ?')
  const select = database.prepare<[string], string>('select body from items where id = ?').pluck()
  const list = database
    .prepare<[string], string>('select body from items where vault = ? order by id')
    .pluck()
  const insertContent = database.prepare('insert into contents values (?, ?)')
  const selectContent = database
    .prepare<[string], Uint8Array<ArrayBuffer>>('select bytes from contents where id = ?')
    .pluck()

  const itemIds = Array.from({ length: count }, () => newId())
  database.transaction(() => {
    for (const [index, id] of itemIds.entries()) {
      insert.run(id, vaultId, JSON.stringify(storedItem(id, index)))
      insertContent.run(id, content)
    }
    for (let index = 0; index < listedCount; index++) {
      const item = storedItem(newId(), index, listedVaultId)
      insert.run(item.id, listedVaultId, JSON.stringify(item))
    }
  })()
  const find = (vault: string, id: string): StoredItem => {
    requireVault(vault)
    return JSON.parse(requireFound(select.get(id), id))
  }
  const put = (item: StoredItem): StoredItem => {
    update.run(JSON.stringify(item), item.id)
    return item
  }
  return {
    itemIds,
    createItem(vault, body) {
      requireVault(vault)
      const item = createItem(body)
      insert.run(item.id, vault, JSON.stringify(item))
      return item
    },
    replaceItem: (vault, id, body) => put(replaceItem(find(vault, id), body)),
    patchItem: (vault, id, body) => put(patchItem(find(vault, id), body)),
    getItem: find,
    listItems(vault) {
      requireVault(vault)
      return list.all(vault).map((body) => toSummary(JSON.parse(body)))
    },
    getFile(vault, id, fileId) {
      const file = findFile(find(vault, id), fileId)
      return { ...file, content: toBase64(requireFound(selectContent.get(id), id)) }
    },
  }
}
