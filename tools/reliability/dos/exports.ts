/** Exports that were made to be expensive: as many objects as the default limits allow. */

import {
  type ImportResult,
  type ReadOptions,
  readBitwarden,
  readCxf,
  readOnePux,
} from 'cofferkit/import'
import { zipSync } from 'fflate'

/** An export, and the reader that it is for. */
export interface CostlyExport {
  readonly name: string
  /** The JSON text. */
  readonly text: string
  /** The file: the text, or an archive with it. */
  readonly bytes: Uint8Array
  readonly read: (bytes: Uint8Array, options?: ReadOptions) => ImportResult
}

/** Returns exports with about this number of elements. None has more than 50,000 items. */
export function costlyExports(elements: number): readonly CostlyExport[] {
  const items = (unit: string) => repeat(Math.min(elements / 2, 50_000), unit)
  /** `size` is the number of elements of a unit, with its comma. */
  const units = (size: number, unit: string) => repeat(elements / size - 10, unit)
  const fields = (size: number, unit: string) =>
    onePuxItem(`{"details":{"sections":[{"fields":[${units(size, unit)}]}]}}`)
  const login = (text: string) => `{"encrypted":false,"items":[{"type":1,${text}}]}`
  const credentials = (size: number, unit: string) =>
    `{"accounts":[{"items":[{"credentials":[${units(size, unit)}]}]}]}`
  return [
    onePux('empty items', onePuxItem(items('{}'))),
    onePux('items with unknown attributes', onePuxItem(items('{"a":1,"b":2}'))),
    onePux('empty vaults', `{"accounts":[{"vaults":[${units(2, '{}')}]}]}`),
    costlyFields(elements),
    onePux('addresses', fields(4, '{"value":{"address":{"city":"a"}}}')),
    onePux('sections', onePuxItem(`{"details":{"sections":[${units(4, '{"fields":[{}]}')}]}}`)),
    onePux('URLs', onePuxItem(`{"overview":{"urls":[${units(2, '{"url":"a.de"}')}]}}`)),
    onePux('tags with NUL', onePuxItem(`{"overview":{"tags":[${units(1, '"\\u0000"')}]}}`)),
    bitwarden('logins', `{"encrypted":false,"items":[${items('{"type":1}')}]}`),
    bitwarden('fields', login(`"fields":[${units(2, '{"value":"a"}')}]`)),
    bitwarden('URLs', login(`"login":{"uris":[${units(2, '{"uri":"a"}')}]}`)),
    cxf('empty items', `{"accounts":[{"items":[${items('{}')}]}]}`),
    cxf('empty passports', credentials(2, '{"type":"passport"}')),
    cxf('custom fields', credentials(5, '{"type":"custom-fields","fields":[{"value":"a"}]}')),
    cxf('collections', `{"accounts":[{"collections":[${units(4, '{"items":[{"item":"x"}]}')}]}]}`),
    cxf('a long text', `{"accounts":[{"items":[{"title":"${'x'.repeat(60_000_000)}"}]}]}`),
  ]
}

/** Returns an export of one item with fields that have about this number of elements. */
export function costlyFields(elements: number): CostlyExport {
  const fields = repeat(elements / 3 - 10, '{"value":{"string":"a"}}')
  return onePux('fields', onePuxItem(`{"details":{"sections":[{"fields":[${fields}]}]}}`))
}

/** Returns `count` times the unit, separated by commas. */
function repeat(count: number, unit: string): string {
  return Array(Math.floor(count)).fill(unit).join(',')
}

function onePuxItem(item: string): string {
  return `{"accounts":[{"vaults":[{"items":[${item}]}]}]}`
}

function onePux(name: string, text: string): CostlyExport {
  const bytes = zipSync({ 'export.data': new TextEncoder().encode(text) })
  return { name: `1pux: ${name}`, text, bytes, read: readOnePux }
}

function bitwarden(name: string, text: string): CostlyExport {
  const bytes = new TextEncoder().encode(text)
  return { name: `bitwarden: ${name}`, text, bytes, read: readBitwarden }
}

function cxf(name: string, text: string): CostlyExport {
  return { name: `cxf: ${name}`, text, bytes: new TextEncoder().encode(text), read: readCxf }
}
