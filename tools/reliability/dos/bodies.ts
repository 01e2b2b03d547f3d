/** The most expensive bodies, each as long, as wide or as deep as a body can be. */

import { type TargetName, targetNames } from './targets.js'

/** A body and its target. */
export interface CostlyBody {
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** Empty for a request without a body. */
  readonly text: string
  /** The item that is read or changed; the one of 1,000 small fields if absent. */
  readonly target?: TargetName
  /** Added to the item's path, for example `/files`. */
  readonly suffix?: string
  /** The bytes of each chunk in which the text arrives; all of it if absent. */
  readonly chunkBytes?: number
}

const maxBodyBytes = 1_048_576
const elementLimit = 32_768

/** Creates all bodies, for an item of this vault with 1,000 fields. */
export function costlyBodies(vaultId: string): readonly CostlyBody[] {
  const start = `{"category":"LOGIN","vault":{"id":"${vaultId}"}`
  const item = (attribute: string, unit: (index: number) => string): string =>
    fill(`${start},"${attribute}":[`, unit, ']}')
  const fields = (unit: (index: number) => string): string =>
    `${start},"fields":[${repeat(1000, unit)}]}`
  const urls = (unit: (index: number) => string): string =>
    `${start},"urls":[${repeat(100, (index) => `{"href":"${unit(index)}"}`)}]}`
  const wholeItem = fields((index) => `{"id":"${index}","value":"x"}`)
  const posted: Readonly<Record<string, string>> = {
    'unknown attributes': fill('{', (index) => `"k${index}":0`, '}'),
    'unknown attributes of fields': item('fields', (index) => `{"k${index}":0}`),
    'unknown lists': fill('{"x":[', () => '[]', ']}'),
    'many numbers': fill('{"x":[', () => '1e308', ']}'),
    'nested lists': `{"x":[${repeat(900, () => `${'['.repeat(30)}${']'.repeat(30)}`)}]}`,
    'endless nesting': '['.repeat(maxBodyBytes),
    'one string of escapes': `{"x":"${'\\u0041'.repeat(170_000)}"}`,
    'one string of quotes': `{"x":"${'\\"'.repeat(500_000)}"}`,
    tags: item('tags', () => '"a"'),
    'empty fields': fields(() => '{}'),
    fields: fields((index) => `{"id":"${index}","value":"${'x'.repeat(950)}"}`),
    'fields that generate': fields(
      (index) =>
        `{"id":"${index}","generate":true,"recipe":{"length":64,"excludeCharacters":"${excluded}"}}`,
    ),
    'fields with rare characters': fields((index) => generating(index, 3)),
    'fields with fairly rare characters': fields((index) => generating(index, 16)),
    'fields with the most draws': fields((index) => generating(index, 36)),
    'fields with long exclusions': fields(
      (index) =>
        `{"id":"${index}","generate":true,"recipe":{"excludeCharacters":"${'a'.repeat(900)}"}}`,
    ),
    'fields with long exclusions in 16 bits': fields(
      (index) =>
        `{"id":"${index}","generate":true,"recipe":{"excludeCharacters":"${'é'.repeat(450)}"}}`,
    ),
    'one purpose for all fields': fields(
      (index) => `{"id":"${index}","purpose":"PASSWORD","value":"x"}`,
    ),
    'a section for each field': fields((index) => `{"id":"${index}","section":{"id":"${index}"}}`),
    'invalid months': fields(
      (index) => `{"id":"${index}","type":"MONTH_YEAR","value":"${'2'.repeat(900)}"}`,
    ),
    'long dates': fields((index) => `{"id":"${index}","type":"DATE","value":"${'2'.repeat(900)}"}`),
    'invalid dates': fields((index) => `{"id":"${index}","type":"DATE","value":"2020-02-30"}`),
    'one id for all fields': fields(() => '{"id":"a"}'),
    'lone surrogates': fields((index) => `{"id":"${index}","value":"\\ud800${'x'.repeat(900)}"}`),
    'international addresses': urls((index) => `http://${'ä.'.repeat(3000)}/${index}`),
    'an international name for each address': urls((index) => `http://${'ä'.repeat(3400)}${index}`),
    'addresses with escapes': urls((index) => `https://a/${'%41'.repeat(3300)}${index}`),
    'addresses with parent folders': urls(
      (index) => `x://a/${'../../other/'.repeat(3300)}${index}`,
    ),
    addresses: `${start},"urls":[${repeat(100, (index) => `{"href":"http://${'a.'.repeat(5000)}/${index}"}`)}]}`,
  }
  const patched: Readonly<Record<string, string>> = {
    'one new field after the other': patch(256, (index) =>
      operation('add', `/fields/new-${index}`, '{"value":"x"}'),
    ),
    'the last field repeatedly': patch(256, () => operation('replace', '/fields/999/value', '"y"')),
    'the whole item repeatedly': patch(20, () => operation('replace', '', wholeItem)),
    'all fields repeatedly': patch(20, () => operation('replace', '/fields', fieldsOf(wholeItem))),
    'an endless path': patch(1, () => operation('add', `/${'a/'.repeat(500_000)}`, '1')),
    'an endless escape': patch(1, () => operation('add', `/fields/${'~0'.repeat(500_000)}`, '1')),
  }
  const references = fields((index) => `{"id":"${index}"}`)
  const lastField = patch(256, (index) => operation('add', '/fields/999/label', `"${index}"`))
  return [
    ...bodies('POST', posted),
    ...bodies('PUT', {
      fields: posted['fields'] ?? '',
      references,
      'one purpose for all fields': posted['one purpose for all fields'] ?? '',
    }),
    ...bodies('PATCH', patched),
    ...targetNames.flatMap((target) => [
      ...bodies('GET', { [`an item of ${target}`]: '' }, target),
      ...bodies('PUT', { [`references to ${target}`]: references }, target),
      ...bodies('PATCH', { [`${target}, the last repeatedly`]: lastField }, target),
    ]),
    ...bodies('GET', { 'a list of files': '' }, 'files', '/files'),
    ...bodies('GET', { 'a list of files and contents': '' }, 'files', '/files?inline_files=true'),
    ...bodies('GET', { 'a query of escapes': '' }, 'files', `/files?${'%ff&'.repeat(15_000)}`),
    {
      name: 'chunks of one byte',
      method: 'POST',
      text: posted['one string of quotes'] ?? '',
      chunkBytes: 1,
    },
  ]
}

/** Bodies whose changes are expensive in each attempt, if every write conflicts. */
export function costlyChanges(vaultId: string): readonly CostlyBody[] {
  const generated = ['fields', 'fields with rare characters', 'fields that generate']
  return costlyBodies(vaultId).flatMap((body) => {
    if (body.method === 'POST' && generated.includes(body.name)) return [{ ...body, method: 'PUT' }]
    return body.method !== 'POST' && body.text !== '' ? [body] : []
  })
}

/** A field whose recipe leaves sets of 52, 1 and 1 characters. */
function generating(index: number, length: number): string {
  const recipe = `{"length":${length},"excludeCharacters":"123456789@.-_*"}`
  return `{"id":"${index}","generate":true,"recipe":${recipe}}`
}

const excluded = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz234567890!@.-'

function bodies(
  method: CostlyBody['method'],
  texts: Readonly<Record<string, string>>,
  target: TargetName = 'small fields',
  suffix = '',
): CostlyBody[] {
  return Object.entries(texts).map(([name, text]) => ({ name, method, text, target, suffix }))
}

function operation(op: string, path: string, value: string): string {
  return `{"op":"${op}","path":${JSON.stringify(path)},"value":${value}}`
}

function patch(count: number, unit: (index: number) => string): string {
  return `[${repeat(count, unit)}]`
}

function fieldsOf(item: string): string {
  return JSON.stringify(JSON.parse(item).fields)
}

function repeat(count: number, unit: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => unit(index)).join(',')
}

/** Repeats a unit as often as the limits of a body allow. */
function fill(start: string, unit: (index: number) => string, end: string): string {
  const units: string[] = []
  let length = start.length + end.length
  for (let index = 0; index < elementLimit / 2; index++) {
    const next = unit(index)
    if (length + next.length + 1 > maxBodyBytes) break
    units.push(next)
    length += next.length + 1
  }
  return start + units.join(',') + end
}
