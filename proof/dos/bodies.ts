/** The bodies that cost a vault most, each as long, as wide or as deep as a body may be. */

/** A body and where it is sent. */
export interface CostlyBody {
  readonly name: string
  readonly method: 'POST' | 'PUT' | 'PATCH'
  readonly text: string
}

const bodyLimit = 1_048_576
const elementLimit = 32_768

/** Every one of them, for an item of this vault that has 1,000 fields. */
export function costlyBodies(vaultId: string): readonly CostlyBody[] {
  const start = `{"category":"LOGIN","vault":{"id":"${vaultId}"}`
  const item = (attribute: string, unit: (index: number) => string): string =>
    filled(`${start},"${attribute}":[`, unit, ']}')
  const fields = (unit: (index: number) => string): string =>
    `${start},"fields":[${times(1000, unit)}]}`
  const wholeItem = fields((index) => `{"id":"${index}","value":"x"}`)
  const posted: Readonly<Record<string, string>> = {
    'unknown attributes': filled('{', (index) => `"k${index}":0`, '}'),
    'unknown attributes within': item('fields', (index) => `{"k${index}":0}`),
    'unknown lists': filled('{"x":[', () => '[]', ']}'),
    'numbers without end': filled('{"x":[', () => '1e308', ']}'),
    levels: `{"x":[${times(900, () => `${'['.repeat(30)}${']'.repeat(30)}`)}]}`,
    'levels without end': '['.repeat(bodyLimit),
    'one string of escapes': `{"x":"${'\\u0041'.repeat(170_000)}"}`,
    'one string of quotes': `{"x":"${'\\"'.repeat(500_000)}"}`,
    tags: item('tags', () => '"a"'),
    'empty fields': fields(() => '{}'),
    fields: fields((index) => `{"id":"${index}","value":"${'x'.repeat(950)}"}`),
    'fields that generate': fields(
      (index) =>
        `{"id":"${index}","generate":true,"recipe":{"length":64,"excludeCharacters":"${excluded}"}}`,
    ),
    'fields that exclude at length': fields(
      (index) =>
        `{"id":"${index}","generate":true,"recipe":{"excludeCharacters":"${'a'.repeat(900)}"}}`,
    ),
    'dates that are none': fields(
      (index) => `{"id":"${index}","type":"DATE","value":"2020-02-30"}`,
    ),
    'one id for all fields': fields(() => '{"id":"a"}'),
    'lone surrogates': fields((index) => `{"id":"${index}","value":"\\ud800${'x'.repeat(900)}"}`),
    addresses: `${start},"urls":[${times(100, (index) => `{"href":"http://${'a.'.repeat(5000)}/${index}"}`)}]}`,
  }
  const patched: Readonly<Record<string, string>> = {
    'a field after the other': patch(256, (index) =>
      operation('add', `/fields/new-${index}`, '{"value":"x"}'),
    ),
    'the last field again and again': patch(256, () =>
      operation('replace', '/fields/999/value', '"y"'),
    ),
    'the whole item again and again': patch(20, () => operation('replace', '', wholeItem)),
    'all fields again and again': patch(20, () =>
      operation('replace', '/fields', fieldsOf(wholeItem)),
    ),
    'a path without end': patch(1, () => operation('add', `/${'a/'.repeat(500_000)}`, '1')),
    'an escape without end': patch(1, () =>
      operation('add', `/fields/${'~0'.repeat(500_000)}`, '1'),
    ),
  }
  return [
    ...bodies('POST', posted),
    ...bodies('PUT', {
      fields: posted['fields'] ?? '',
      references: fields((index) => `{"id":"${index}"}`),
    }),
    ...bodies('PATCH', patched),
  ]
}

const excluded = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz234567890!@.-'

function bodies(
  method: CostlyBody['method'],
  texts: Readonly<Record<string, string>>,
): CostlyBody[] {
  return Object.entries(texts).map(([name, text]) => ({ name, method, text }))
}

function operation(op: string, path: string, value: string): string {
  return `{"op":"${op}","path":${JSON.stringify(path)},"value":${value}}`
}

function patch(count: number, unit: (index: number) => string): string {
  return `[${times(count, unit)}]`
}

function fieldsOf(item: string): string {
  return JSON.stringify(JSON.parse(item).fields)
}

function times(count: number, unit: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => unit(index)).join(',')
}

/** As many units as the limits of a body allow. */
function filled(start: string, unit: (index: number) => string, end: string): string {
  const units: string[] = []
  let length = start.length + end.length
  for (let index = 0; index < elementLimit / 2; index++) {
    const next = unit(index)
    if (length + next.length + 1 > bodyLimit) break
    units.push(next)
    length += next.length + 1
  }
  return start + units.join(',') + end
}
