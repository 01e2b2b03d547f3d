/**
 * Writes results into the pages. A table belongs between `<!-- bench:NAME -->` and
 * `<!-- /bench:NAME -->`, an image into `docs/images/`.
 */

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import type { PartResults } from './bench-options.js'
import { formatMarkdown, type Table } from './table.js'

const docs = new URL('../docs/', import.meta.url)
const pages = ['performance.md', 'how-cost-grows.md']

/** Writes every image, and every table that has a place in a page. */
export async function writePages({ tables, images = [] }: PartResults): Promise<void> {
  for (const page of pages) {
    const url = new URL(page, docs)
    await writeFile(url, tables.reduce(replaceTable, await readFile(url, 'utf8')))
  }
  const folder = new URL('images/', docs)
  await mkdir(folder, { recursive: true })
  for (const { name, svg } of images) await writeFile(new URL(name, folder), svg)
}

/** Replaces the text between the markers of the table; returns the page unchanged without them. */
export function replaceTable(page: string, table: Table): string {
  const [start, end] = [`<!-- bench:${table.id} -->`, `<!-- /bench:${table.id} -->`]
  const from = page.indexOf(start)
  const to = page.indexOf(end)
  if (from < 0 || to < from) return page
  const date = new Date().toISOString().slice(0, 10)
  const node = process.versions.node
  const origin = `*Run of ${date}, Node ${node}, ${availableParallelism()} cores.*`
  const text = `${start}\n\n${formatMarkdown(table)}\n\n${origin}\n\n`
  return page.slice(0, from) + text + page.slice(to)
}
