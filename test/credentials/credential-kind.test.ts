import { InvalidInputError, RuleError } from 'cofferkit'
import { createCredentials } from 'cofferkit/credentials'
import { createTestVault } from 'cofferkit/testing'
import { describe, expect, it } from 'vitest'
import { findOrigins } from '../../src/credentials/credential-kind.js'

const { service } = await createTestVault()
const fields = { key: {} }

describe('createCredentials', () => {
  it.each([
    'https://api.example.com',
    'https://api.example.com:8443',
    'http://localhost:3000',
    'http://127.0.0.1',
    'http://[::1]',
  ])('accepts the origin %s', (origin) => {
    expect(createCredentials(service, { a: { fields, origins: [origin] } }).names).toEqual(['a'])
  })

  it.each([
    'http://api.example.com',
    'https://api.example.com/',
    'https://api.example.com/v1',
    'https://user:pass@api.example.com',
    'HTTPS://API.EXAMPLE.COM',
    'https://api.example.com:443',
    'ftp://localhost',
    'api.example.com',
    '',
    'null',
  ])('rejects the origin %j of a kind', (origin) => {
    const create = () => createCredentials(service, { a: { fields, origins: [origin] } })
    expect(create).toThrow(
      new TypeError(
        'kinds.a.origins must be a list of origins, such as https://api.example.com, or a function',
      ),
    )
  })

  it.each(['', '.', '..', 'a/b', 'a b', 'ä', 'a'.repeat(65), '__proto__'])(
    'rejects %j as the name of a kind',
    (name) => {
      const kinds = JSON.parse(`{ ${JSON.stringify(name)}: { "fields": { "key": {} } } }`)
      expect(() => createCredentials(service, kinds)).toThrow(
        new TypeError('each key of kinds must be a name of letters, digits, _, . and -'),
      )
    },
  )

  it.each(['', '7', 'a.b', 'a/b', '__proto__'])('rejects %j as the id of a field', (id) => {
    const kinds = JSON.parse(`{ "a": { "fields": { ${JSON.stringify(id)}: {} } } }`)
    expect(() => createCredentials(service, kinds)).toThrow(
      new TypeError('each key of kinds.a.fields must be an id of letters, digits, _ and -'),
    )
  })
})

describe('findOrigins', () => {
  const values = { host: 'acme' }
  const find = (origins: () => unknown) => () => findOrigins({ fields, origins } as never, values)

  it('returns the list of the kind, the result of its function, or undefined', () => {
    const origins = ['https://a.example']
    expect(findOrigins({ fields, origins }, values)).toBe(origins)
    const ofHost = ({ host }: Readonly<Record<string, string>>) => [`https://${host}.example`]
    expect(findOrigins({ fields, origins: ofHost }, values)).toEqual(['https://acme.example'])
    expect(findOrigins({ fields }, values)).toBeUndefined()
  })

  it('throws an InvalidInputError for a result that is no origin', () => {
    for (const host of ['https://a.example/x', 'https://u@a.example', 'http://a.example', 7])
      expect(find(() => [host])).toThrow(InvalidInputError)
  })

  it('throws a RuleError if the function fails or returns no list', () => {
    const fail = () => {
      throw new Error('SWORDFISH')
    }
    expect(find(fail)).toThrow(new RuleError('origins failed'))
    expect(find(() => 'https://a.example')).toThrow(new RuleError('origins did not return a list'))
  })

  it('throws an error of the library unchanged', () => {
    const error = InvalidInputError.at('host', 'must be a host of yours')
    const refuse = () => {
      throw error
    }
    expect(find(refuse)).toThrow(error)
  })
})
