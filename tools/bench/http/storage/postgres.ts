/** The storage by hand on pg: a row for each item and one for each content. */

import pg from 'pg'
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
  StatusError,
  toBase64,
  toSummary,
} from '../handwritten-vault.js'

interface FileRow {
  readonly body: string
  readonly bytes: Buffer<ArrayBuffer>
}

/**
 * Creates a vault with `count` stored items in new tables. Statements are prepared, and a change
 * is written only over the version that was read.
 */
export async function createPostgresVault(count: number, url: string): Promise<HandwrittenVault> {
  const pool = new pg.Pool({ connectionString: url, max: 16 })
  const [items, contents] = [`hand_items_${process.pid}`, `hand_contents_${process.pid}`]
  await pool.query(`create table ${items} (
    id text primary key, vault text, version integer, body text)`)
  await pool.query(`create index on ${items} (vault, id)`)
  await pool.query(`create table ${contents} (id text primary key, bytes bytea)`)
  const run = async <Row extends object>(name: string, text: string, values: unknown[]) =>
    (await pool.query<Row>({ name, text, values })).rows
  const insert = (item: StoredItem, vault: string): Promise<unknown> =>
    run('insert', `insert into ${items} values ($1, $2, $3, $4)`, [
      item.id,
      vault,
      item.version,
      JSON.stringify(item),
    ])

  const itemIds = Array.from({ length: count }, () => newId())
  for (const [index, id] of itemIds.entries()) {
    await insert(storedItem(id, index), vaultId)
    const text = `insert into ${contents} values ($1, $2)`
    await run('content', text, [id, Buffer.from(content)])
  }
  for (let index = 0; index < listedCount; index++)
    await insert(storedItem(newId(), index, listedVaultId), listedVaultId)
  const find = async (vault: string, id: string): Promise<StoredItem> => {
    requireVault(vault)
    const text = `select body from ${items} where id = $1`
    const [row] = await run<{ readonly body: string }>('select', text, [id])
    return JSON.parse(requireFound(row, id).body)
  }
  const put = async (item: StoredItem): Promise<StoredItem> => {
    const text = `update ${items} set version = $2, body = $3
      where id = $1 and version = $2 - 1 returning version`
    const rows = await run('update', text, [item.id, item.version, JSON.stringify(item)])
    if (rows.length === 0) throw new StatusError(409, `item ${item.id} was changed`)
    return item
  }
  return {
    itemIds,
    async createItem(vault, body) {
      requireVault(vault)
      const item = createItem(body)
      await insert(item, vault)
      return item
    },
    replaceItem: async (vault, id, body) => put(replaceItem(await find(vault, id), body)),
    patchItem: async (vault, id, body) => put(patchItem(await find(vault, id), body)),
    getItem: find,
    async listItems(vault) {
      requireVault(vault)
      const text = `select body from ${items} where vault = $1 order by id`
      const rows = await run<{ readonly body: string }>('list', text, [vault])
      return rows.map(({ body }) => toSummary(JSON.parse(body)))
    },
    async getFile(vault, id, fileId) {
      requireVault(vault)
      const text = `select body, bytes from ${items} join ${contents} using (id) where id = $1`
      const [row] = await run<FileRow>('file', text, [id])
      const { body, bytes } = requireFound(row, id)
      return { ...findFile(JSON.parse(body), fileId), content: toBase64(bytes) }
    },
  }
}
