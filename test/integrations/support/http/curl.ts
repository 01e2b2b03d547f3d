/**
 * A replacement for curl where it is not installed: the few options that the demo prints, with
 * fetch.
 */

import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    'show-error': { type: 'boolean', short: 'S' },
    include: { type: 'boolean', short: 'i' },
    'write-out': { type: 'string', short: 'w', default: '' },
    request: { type: 'string', short: 'X', default: 'GET' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
  },
})

const headers = values.header.map((line): [string, string] => {
  const [name = '', ...value] = line.split(': ')
  return [name, value.join(': ')]
})
const response = await fetch(positionals[0] ?? '', {
  method: values.request,
  headers,
  ...(values.data !== undefined && { body: values.data }),
})
const header = [`HTTP/1.1 ${response.status} ${response.statusText}`]
for (const [name, value] of response.headers) header.push(`${name}: ${value}`)
const end = values['write-out'].replaceAll('\\n', '\n')
process.stdout.write(`${header.join('\r\n')}\r\n\r\n${await response.text()}${end}`)
