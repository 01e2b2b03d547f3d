import { describe, expect, it } from 'vitest'
import { buildFromBody, captureIssues } from '../../support/items/item-builders.js'

const notUrl = 'must be a URL'

// Rows that the contract (rules-7 to rules-9) has are left out.
describe('buildUrls', () => {
  it.each([
    'HTTP://EXAMPLE.COM',
    'http://localhost:8080',
    'ssh://git@example.com',
    'android://hash@com.example/',
    'javascripts:x',
    'database:x',
    'x-javascript:x',
    'https://例え.テスト/パス',
    'https://a.example/%20?q[]=1&b=%7B%7D',
    'z39.50r://host/db',
    'git+ssh://git@example.com/a.git',
  ])('accepts the URL %s unchanged', (href) => {
    expect(buildFromBody({ urls: [{ href }] }).urls).toStrictEqual([{ href }])
  })

  it.each([
    [' ', notUrl],
    ['/login', notUrl],
    ['//example.com', notUrl],
    ['https://', notUrl],
    ['http://[', notUrl],
    ['https://a b', notUrl],
    ['https://a.example/\u00a0', notUrl],
    ['https://a.example/\u3000', notUrl],
    ['https://a.example/\u2028', notUrl],
    ['https://a.example/\0x', notUrl],
    ['https://a.example/\u0085x', notUrl],
    ['https://a.example/\u009fx', notUrl],
    ['https://a.example\\b', notUrl],
    ['  javascript:alert(1)', notUrl],
    ['java\nscript:alert(1)', notUrl],
    ['\tjava\tscript\t:alert(1)', notUrl],
    ['\u0001javascript:alert(1)', notUrl],
    ['da\rta:text/html,x', notUrl],
    ['1https://a.example', notUrl],
    ['+a://b', notUrl],
    ['javascript:https://a.example', 'must not be a javascript: or data: URL'],
    ['javascript://example.com/%0aalert(1)', 'must not be a javascript: or data: URL'],
    ['DATA:text/html;base64,PHNjcmlwdD4=', 'must not be a javascript: or data: URL'],
  ])('rejects %j', (href, message) => {
    const urls = [{ href: 'https://a.example' }, { href }]
    expect(captureIssues(() => buildFromBody({ urls }))).toEqual([{ path: 'urls/1/href', message }])
  })
})
