import { describe, expect, it } from 'vitest'
import { parseJson } from '../../src/base/parse-json.js'

describe('parseJson', () => {
  it.each(['null', '0', '""', '[]', '{"a":[1]}'])('returns the value of %s', (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text))
  })

  it.each(['', ' ', 'undefined', '{', '{"a":1}}', '\uFEFF{}', 'hunter2'])(
    'returns undefined for %j',
    (text) => {
      expect(parseJson(text)).toBeUndefined()
    },
  )
})
