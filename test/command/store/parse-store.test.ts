import { describe, expect, it } from 'vitest'
import { describeStore, parseStore } from '../../../src/command/store/parse-store.js'

describe('parseStore', () => {
  it.each([
    ['memory', { kind: 'memory' }],
    ['sqlite:a/b.db', { kind: 'sqlite', path: 'a/b.db' }],
    ['./my-store.js', { kind: 'module', path: './my-store.js' }],
    ['/a/b.mjs', { kind: 'module', path: '/a/b.mjs' }],
    ['postgres://a@b/c', { kind: 'postgres', url: 'postgres://a@b/c' }],
    ['postgresql://a@b/c', { kind: 'postgres', url: 'postgresql://a@b/c' }],
    ['postgres:postgres://a@b/c', { kind: 'postgres', url: 'postgres://a@b/c' }],
    ['mysql://a@b/c', { kind: 'mysql', url: 'mysql://a@b/c' }],
    ['mysql:mysql://a@b/c', { kind: 'mysql', url: 'mysql://a@b/c' }],
    ['etcd:http://a:2379', { kind: 'etcd', endpoints: ['http://a:2379'] }],
    [
      'etcd:https://me:p%40ss@a:2379,https://b:2379',
      {
        kind: 'etcd',
        endpoints: ['https://a:2379', 'https://b:2379'],
        username: 'me',
        password: 'p@ss',
      },
    ],
  ])('parses %s', (text, location) => {
    expect(parseStore(text)).toEqual(location)
  })

  it.each([
    '',
    'vault.db',
    'my-store.js',
    'sqlite:',
    'postgres:',
    'postgres:mysql://s3cret@a/b',
    'mysql:s3cret',
    'etcd:',
    'etcd:http://a,s3cret',
    'etcd:ftp://s3cret@a',
  ])('throws CommandError without the text when it is %j', (text) => {
    expect(() => parseStore(text)).toThrow(expect.objectContaining({ name: 'CommandError' }))
    expect(() => parseStore(text)).not.toThrow(/s3cret/)
  })
})

describe('parseStore of a path', () => {
  it.each(['team.db', './restored.db', 'a b/c.sqlite3'])('proposes sqlite:%s', (text) => {
    expect(() => parseStore(text)).toThrow(`did you mean sqlite:${text}?`)
  })

  it('repeats nothing that can be a URL', () => {
    for (const text of ['pg://me:s3cret@host/a.db', 's3cret@host.db', 'me:s3cret.db'])
      expect(() => parseStore(text)).toThrow(/^--store: unknown store\n/)
  })
})

describe('describeStore', () => {
  it.each([
    ['memory', 'memory, which is lost when the process ends'],
    ['sqlite:a.db', 'SQLite file a.db'],
    ['./a.js', 'module ./a.js'],
    ['postgres://me:s3cret@host:5432/vault?sslkey=s3cret', 'PostgreSQL host:5432/vault'],
    ['mysql://me:s3cret@host/vault', 'MySQL host/vault'],
    ['etcd:http://me:s3cret@a:2379', 'etcd http://a:2379'],
  ])('describes %s without credentials', (text, description) => {
    expect(describeStore(parseStore(text))).toBe(description)
  })
})
