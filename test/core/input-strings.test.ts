import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import type { MethodName } from '../../src/index.js'
import { createTestVault } from '../../src/testing.js'
import { describedOperations } from '../../tools/openapi/operations.js'
import { noteDraft } from '../support/drafts.js'
import { exampleInput, toCallRef } from '../support/service/operation-examples.js'
import { callOperation } from '../support/service/vault-calls.js'

/** The parts of a JSON Schema in which strings can be. */
interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
}

/** Attributes of items that are checked, then ignored: nothing of them is kept. */
const ignored = /^item\/(?:state|createdAt|updatedAt|lastEditedBy|files)(?:\/|$)/

/** Returns the paths of the strings in a schema, except those of which all values are listed. */
function stringPaths(schema: JsonSchema, path = ''): readonly string[] {
  const { type, properties = {}, items, anyOf = [] } = schema
  const at = (name: string): string => (path === '' ? name : `${path}/${name}`)
  return [
    ...([type].flat().includes('string') && !schema.enum && schema.const === undefined
      ? [path]
      : []),
    ...Object.entries(properties).flatMap(([name, member]) => stringPaths(member, at(name))),
    ...(items ? stringPaths(items, at('0')) : []),
    ...anyOf.flatMap((one) => stringPaths(one, path)),
  ]
}

/** Returns a copy with `value` at the path. Objects and lists that are missing are added. */
function withValue(target: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value
  const copy: Record<string, unknown> =
    name === '0' ? Object([...Object(target ?? [])]) : { ...Object(target) }
  copy[name] = withValue(copy[name], rest, value)
  return copy
}

const operations = Object.entries(describedOperations) as [
  MethodName,
  (typeof describedOperations)[MethodName],
][]
const strings = operations.flatMap(([name, { input }]) => {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  return stringPaths(schema).map((path) => ({ name, path }))
})

/** An item with one element of each list, to which a string can be added. */
const draftOf = (vaultId: string) =>
  noteDraft(vaultId, {
    tags: ['a'],
    urls: [{ href: 'https://a.example' }],
    sections: [{ id: 'a' }],
    fields: [{ id: 'a', type: 'CONCEALED', recipe: {} }],
  })

describe('the inputs of operations', () => {
  it('have strings', () => {
    expect(strings).toContainEqual({ name: 'createItem', path: 'item/fields/0/value' })
  })

  it.each(strings.filter(({ path }) => !ignored.test(path)))(
    '$name rejects a string of unlimited length: $path',
    async ({ name, path }) => {
      const vault = await createTestVault({ history: { maxVersions: 2 } })
      const { service, caller, vaultId } = vault
      const input = exampleInput(name, { ...toCallRef(vault), draft: draftOf(vaultId) })
      const long = `${path.endsWith('href') ? 'https://a.example/' : ''}${'x'.repeat(100_000)}`
      const changed = withValue(input, path.split('/'), long)
      const call = callOperation(service, name, caller, Object(changed))
      // A malformed id of a file, and of its item and vault, is not found.
      const status = expect.toSatisfy((one) => one === 400 || (one === 404 && /^\w+Id$/.test(path)))
      const outcome = await call.then(
        () => ({ status: `accepted: call checkStrings in ${name}` }),
        (error: unknown) => error,
      )
      expect(outcome).toMatchObject({ status })
    },
  )
})
