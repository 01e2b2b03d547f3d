import { describe, expect, it } from 'vitest'
import { buildFromBody, captureIssues } from '../../support/items/item-builders.js'

describe('buildUrls', () => {
  it.each([
    'https://example.com/login?a=b#c',
    'HTTP://EXAMPLE.COM',
    'http://localhost:8080',
    'https://[::1]/',
    'https://user:pass@example.com',
    'ssh://git@example.com',
    'mailto:a@example.com',
    'android://hash@com.example/',
    'javascripts:x',
    'database:x',
    'https://bücher.example/straße?ä=ö#ß',
    'https://例え.テスト/パス',
    'https://a.example/%20?q[]=1&b=%7B%7D',
    'z39.50r://host/db',
    'git+ssh://git@example.com/a.git',
  ])('accepts the URL %s unchanged', (href) => {
    expect(buildFromBody({ urls: [{ href }] }).urls).toStrictEqual([{ href }])
  })

  it.each([
    '',
    ' ',
    'example.com',
    '/login',
    '//example.com',
    'https://',
    'http://[',
    'https://a b',
    'https://a.example/b c',
    ' https://a.example',
    'https://a.example ',
    'https://a.example/\u00a0',
    'https://a.example/\u3000',
    'https://a.example/\u2028',
    'https://a.example\\b',
    'C:\\secrets.txt',
    'c:/secrets.txt',
    'x:y',
    ...[...'<>"{}|^`\\\t\n\r\0\u0001\u001f\u007f\u0085\u009f'].map(
      (character) => `https://a.example/${character}x`,
    ),
    '  javascript:alert(1)',
    'java\nscript:alert(1)',
    '\tjava\tscript\t:alert(1)',
    '\u0001javascript:alert(1)',
    'da\rta:text/html,x',
    '1https://a.example',
    '+a://b',
  ])('rejects %j, which is not a URL', (href) => {
    expect(captureIssues(() => buildFromBody({ urls: [{ href }] }))).toEqual([
      { path: 'urls/0/href', message: 'must be a URL' },
    ])
  })

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'javascript://example.com/%0aalert(1)',
    'data:,x',
    'DATA:text/html;base64,PHNjcmlwdD4=',
  ])('rejects the script or data URL %j', (href) => {
    expect(
      captureIssues(() => buildFromBody({ urls: [{ href: 'https://a.example' }, { href }] })),
    ).toEqual([{ path: 'urls/1/href', message: 'must not be a javascript: or data: URL' }])
  })

  it('rejects more than one primary URL', () => {
    const href = 'https://a.example'
    const urls = [
      { href, primary: false },
      { href, primary: true },
      { href },
      { href, primary: false },
    ]
    expect(buildFromBody({ urls }).urls).toEqual(urls)
    expect(
      captureIssues(() =>
        buildFromBody({ urls: [...urls, { href, primary: true }, { href, primary: true }] }),
      ),
    ).toEqual([
      { path: 'urls/4/primary', message: 'must be true for one URL only' },
      { path: 'urls/5/primary', message: 'must be true for one URL only' },
    ])
  })
})
