import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CommandError } from '../../src/command/command-error.js'
import { formatTokenFile, parseTokenFile, type TokenEntry } from '../../src/command/token-file.js'

const vaultId = 'v'.repeat(26)
const entry: TokenEntry = { id: 'ci', sha256: 'ab'.repeat(32), vaults: '*' }

describe('parseTokenFile', () => {
  it('returns the entries that formatTokenFile has written', () => {
    const entries: readonly TokenEntry[] = [
      entry,
      {
        id: 'reader@example.com',
        sha256: 'CD'.repeat(32),
        vaults: { [vaultId]: 'read', ['w'.repeat(26)]: 'read-write' },
        expiresAt: '2027-01-01T00:00:00Z',
        createVaults: true,
      },
    ]
    expect(parseTokenFile(formatTokenFile(entries), 'a.json')).toEqual(entries)
  })

  it.each<[unknown, string]>([
    [[], 'must be { "tokens": [...] }'],
    [{ tokens: {} }, 'must be { "tokens": [...] }'],
    [{ tokens: [], s3cret: 1 }, 'must have no member but tokens'],
    [{ tokens: [7] }, 'tokens[0] must be an object'],
    [
      { tokens: [{ ...entry, s3cret: 1 }] },
      'tokens[0] must have no members but id, sha256, vaults',
    ],
    [{ tokens: [{ ...entry, id: 's3cret ' }] }, 'tokens[0].id must be 1 to 100 letters'],
    [{ tokens: [{ ...entry, id: '-' }] }, 'tokens[0].id must be 1 to 100 letters'],
    [{ tokens: [entry, entry] }, 'tokens[1].id must not be the id of another token'],
    [{ tokens: [entry, { ...entry, id: 'b' }] }, 'tokens must not contain a sha256 twice'],
    [
      { tokens: [{ ...entry, sha256: 's3cret' }] },
      'tokens[0].sha256 must be 64 hexadecimal digits',
    ],
    [{ tokens: [{ ...entry, vaults: [] }] }, 'tokens[0].vaults must be * or an object'],
    [
      { tokens: [{ ...entry, vaults: { s3cret: 'read' } }] },
      'each key of tokens[0].vaults must be',
    ],
    [{ tokens: [{ ...entry, vaults: { [vaultId]: 'use' } }] }, 'each of tokens[0].vaults must be'],
    [{ tokens: [{ ...entry, expiresAt: '2027-02-30T00:00:00Z' }] }, 'tokens[0].expiresAt must be'],
    [
      { tokens: [{ ...entry, createVaults: 's3cret' }] },
      'tokens[0].createVaults must be a boolean',
    ],
  ])('rejects %j', (value, message) => {
    const parse = () => parseTokenFile(JSON.stringify(value), 'a.json')
    expect(parse).toThrow(`a.json: ${message}`)
    expect(parse).not.toThrow('s3cret')
  })

  it('rejects anything else with an error for the user', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(() => parseTokenFile(text, 'a.json')).toThrow(CommandError)
      }),
    )
  })
})
