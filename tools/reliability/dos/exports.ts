/** Exports that were made to be expensive: as many objects as the default limits allow. */

import { zipSync } from 'fflate'

/** An export of many parts. */
export interface CostlyExport {
  readonly name: string
  /** The JSON text. */
  readonly text: string
  /** The file: the text, or an archive with it. */
  readonly bytes: Uint8Array
}

/** Returns exports with about this number of elements. None has more than 50,000 items. */
export function costlyExports(elements: number): readonly CostlyExport[] {
  const items = (unit: string) => repeat(Math.min(elements / 2, 50_000), unit)
  /** `size` is the number of elements of a unit, with its comma. */
  const units = (size: number, unit: string) => repeat(elements / size - 10, unit)
  const fields = (size: number, unit: string) =>
    onePuxItem(`{"details":{"sections":[{"fields":[${units(size, unit)}]}]}}`)
  const login = (text: string) => `{"encrypted":false,"items":[{"type":1,${text}}]}`
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
    bitwarden('a long text', login(`"name":"${'x'.repeat(60_000_000)}"`)),
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
  return { name: `1pux: ${name}`, text, bytes }
}

function bitwarden(name: string, text: string): CostlyExport {
  const bytes = new TextEncoder().encode(text)
  return { name: `bitwarden: ${name}`, text, bytes }
}
