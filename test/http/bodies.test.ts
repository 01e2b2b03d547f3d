import { describe, expect, it } from 'vitest'
import { createTestVault } from '../support/http/checked-handlers.js'
import { answerTo, itemUrl, vaultUrl } from '../support/http/requests.js'

const field = (members: string): string => `"fields":[{"id":"a",${members}}]`

describe('createHttpHandler bodies', () => {
  it.each<[string, string, string]>([
    ['a number beyond doubles', '"favorite":1e400', 'favorite must be a boolean'],
    ['a number for a string', '"title":9007199254740993', 'title must be a string'],
    ['null for an array', '"tags":null', 'tags must be an array'],
    ['an array for an object', field('"section":[]'), 'fields/0/section must be an object'],
    ['an object for a list', '"urls":{}', 'urls must be an array'],
    ['a lone surrogate', '"title":"\\ud800"', 'title must not contain a lone surrogate'],
    ['U+0000', '"tags":["a","\\u0000"]', 'tags/1 must not contain U+0000'],
    [
      'a fraction of a length',
      field('"generate":true,"recipe":{"length":1.5}'),
      'fields/0/recipe/length must be an integer',
    ],
    [
      'a string for a length',
      field('"generate":true,"recipe":{"length":"32"}'),
      'fields/0/recipe/length must be a number',
    ],
    [
      'a length of 65',
      field('"generate":true,"recipe":{"length":65}'),
      'fields/0/recipe/length must be at most 64',
    ],
    [
      'a length of 0',
      field('"generate":true,"recipe":{"length":0}'),
      'fields/0/recipe/length must be at least 1',
    ],
    [
      'a length of 2^53',
      field('"generate":true,"recipe":{"length":9007199254740992}'),
      'fields/0/recipe/length must be',
    ],
    [
      'an unknown set',
      field('"generate":true,"recipe":{"characterSets":["RUNES"]}'),
      'fields/0/recipe/characterSets/0',
    ],
    [
      'a set twice',
      field('"generate":true,"recipe":{"characterSets":["DIGITS","DIGITS"]}'),
      'fields/0/recipe/characterSets',
    ],
    [
      'every character excluded',
      field(
        '"generate":true,"recipe":{"characterSets":["DIGITS"],"excludeCharacters":"012345678"}',
      ),
      'fields/0/recipe/excludeCharacters',
    ],
    ['a purpose of none', field('"purpose":"username"'), 'fields/0/purpose'],
    ['a type of none', field('"type":"OTP"'), 'fields/0/type'],
    ['a category in lower case', '"category":"login"', 'Invalid item category'],
    ['a day that does not exist', field('"type":"DATE","value":"2020-02-30"'), 'fields/0/value'],
    [
      'a section that does not exist',
      field('"value":"x","section":{"id":"x"}'),
      'fields/0/section/id',
    ],
    ['a data: URL', '"urls":[{"href":"data:,hello"}]', 'urls/0/href'],
    [
      'two fields with one id',
      '"fields":[{"id":"a","value":"x"},{"id":"a","value":"x"}]',
      'fields/1/id',
    ],
    ['two sections of one id', '"sections":[{"id":"a"},{"id":"a"}]', 'sections/1/id'],
    [
      'two passwords',
      '"fields":[{"id":"a","purpose":"PASSWORD"},{"id":"b","purpose":"PASSWORD"}]',
      'fields/1/purpose',
    ],
  ])('responds with 400 and the path of %s, and changes nothing', async (_what, members, where) => {
    const vault = await createTestVault()
    const header = `{"category":"LOGIN","vault":{"id":"${vault.vaultId}"}`
    for (const [method, url] of [
      ['POST', vaultUrl(vault, '/items')],
      ['PUT', itemUrl(vault)],
    ] as const) {
      const response = await answerTo(vault, method, url, `${header},${members}}`)
      expect(response).toEqual({
        status: 400,
        message: expect.stringContaining(where),
        changed: false,
      })
    }
  })

  it.each(['[]', '[{}]', '"item"', '7', 'true', 'null', '[[]]'])(
    'responds with 400 when the item is %s',
    async (text) => {
      const vault = await createTestVault()
      const response = await answerTo(vault, 'POST', vaultUrl(vault, '/items'), text)
      expect(response).toMatchObject({ status: 400, changed: false })
    },
  )

  it.each(['{}', '{"op":"add"}', '"patch"', 'null', '[null]', '[[]]', '["add"]'])(
    'responds with 400 when the patch is %s',
    async (text) => {
      const vault = await createTestVault()
      expect(await answerTo(vault, 'PATCH', itemUrl(vault), text)).toMatchObject({
        status: 400,
        changed: false,
      })
    },
  )
})
