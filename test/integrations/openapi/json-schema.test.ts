import { describe, expect, it } from 'vitest'
import { toJsonSchemas } from '../../../tools/openapi/json-schema.js'
import { exportsOfEntries } from '../support/source/compiler.js'

describe('toJsonSchemas', () => {
  it('names shapes like the exported types', () => {
    const { schemas } = toJsonSchemas((name) => `#/${name}`)
    const exported = exportsOfEntries().get('cofferkit') ?? []
    expect(Object.keys(schemas).filter((name) => !exported.includes(name))).toEqual([])
  })
})
