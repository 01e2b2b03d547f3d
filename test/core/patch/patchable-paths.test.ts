import { describe, expect, it } from 'vitest'
import { parsePatchPath } from '../../../src/core/patch/patchable-paths.js'

const notPatchable = 'is not a patchable path of an item'

describe('parsePatchPath', () => {
  it.each(['', '/'])('parses %j as the whole item', (path) => {
    expect(parsePatchPath(path)).toEqual([])
  })

  it.each([
    '/category /title /favorite /tags /urls /sections /fields',
    '/tags/0 /tags/- /tags/12',
    '/urls/0 /urls/- /urls/1/href /urls/1/label /urls/1/primary /urls/-/href',
    '/sections/0 /sections/- /sections/1/id /sections/1/label',
    '/fields/- /fields/0 /fields/ /fields/constructor /fields/__proto__ /fields/toString',
    '/fields/pin/type /fields/pin/label /fields/pin/value /fields/pin/purpose',
    '/fields/pin/section /fields/pin/section/id /fields/pin/generate /fields//label /fields/-/label',
    '/fields/pin/recipe /fields/pin/recipe/length',
    '/fields/pin/recipe/characterSets /fields/pin/recipe/excludeCharacters',
  ])('accepts %s', (paths) => {
    for (const path of paths.split(' '))
      expect(parsePatchPath(path)).toEqual(path.slice(1).split('/'))
  })

  it('unescapes ids', () => {
    expect(parsePatchPath('/fields/a~1b~0c~01/label')).toEqual(['fields', 'a/b~c~1', 'label'])
  })

  it.each([
    '/id /version /vault /vault/id /createdAt /updatedAt /lastEditedBy /state /files /files/0 /files/-',
    '/fields/pin/id /fields/pin/entropy /fields/pin/entropy/x /fields/-/id',
  ])('rejects %s, which the vault manages', (paths) => {
    for (const path of paths.split(' ')) expect(parsePatchPath(path)).toBe(notPatchable)
  })

  it.each([
    ['/titel', '/title'],
    ['/Title', '/title'],
    ['/field/pin/value', '/fields'],
    ['/fields/pin/valeu', 'value'],
    ['/urls/0/herf', 'href'],
  ])('suggests for %s the path or name %s', (path, suggestion) => {
    expect(parsePatchPath(path)).toBe(`${notPatchable}, did you mean ${suggestion}?`)
  })

  it.each([
    '/constructor /__proto__ /prototype /toString /hasOwnProperty /__proto__/x /constructor/prototype/x',
    '/fields/__proto__/x /fields/pin/__proto__ /fields/pin/constructor /fields/pin/toString',
    '/fields/pin/section/__proto__ /fields/pin/section/label /fields/pin/section/id/x /fields/pin/recipe/x /fields/pin/recipe/id',
    '/fields/pin/recipe/length/x /fields/pin/recipe/characterSets/0 /fields/pin/label/0 /fields/pin/value/length',
    '/fields/pin/# /fields/pin/@ /fields/pin/version /fields/pin/files',
    '/tags/01 /tags/-1 /tags/+1 /tags/1e0 /tags/1.0 /tags/ /tags/x /tags/length /tags/# /tags/0/0 /tags/-/x',
    '/urls/a /urls/0/id /urls/0/entropy /urls/01/href /urls/0/href/x /urls/0/__proto__',
    '/sections/more /sections/0/entropy /sections/0/id/x',
    '/title/ /title/x /title/0 /favorite/x /category/0 // /# /@ /trashed /entropy /label',
  ])('rejects %s, which do not exist in items', (paths) => {
    for (const path of paths.split(' ')) expect(parsePatchPath(path)).toBe(notPatchable)
  })

  it.each(['title', '/~2'])('rejects %j, which is not a JSON Pointer', (path) => {
    expect(parsePatchPath(path)).toBe('is not a JSON Pointer, such as /title')
  })
})
