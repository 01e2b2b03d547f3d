import { describe, expect, it } from 'vitest'
import type { TestVault } from '../../src/testing.js'
import { openApiText } from '../../tools/openapi/documents.js'
import { type Counterexample, counterexamples } from '../support/arbitraries/counterexamples.js'
import { streamOf, utf8 } from '../support/bytes.js'
import { loginDraft } from '../support/drafts.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { createRequest } from '../support/http/requests.js'
import { findRoute, toRouteRequest } from '../support/http/route-requests.js'
import { exampleInput, toCallRef } from '../support/service/operation-examples.js'

type JsonSchema = Readonly<Record<string, unknown>>

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: JsonSchema
}

interface Described {
  readonly operationId: string
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[]
  readonly requestBody?: {
    readonly required?: boolean
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>
  }
}

const document = JSON.parse(openApiText('openapi-extensions.json'))
const paths: Readonly<Record<string, Readonly<Record<string, Described>>>> = document.paths
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
)
type Operation = (typeof operations)[number]

function dereference(reference: string): JsonSchema {
  return reference
    .split('/')
    .slice(1)
    .reduce((part, name) => part[name], document)
}

/** A request to a new vault: a body with every described attribute, and every parameter. */
interface ExampleRequest {
  readonly body: unknown
  readonly parameters: Readonly<Record<string, unknown>>
}

/** Returns the body of an item with every attribute. */
function completeItem({ vaultId, item, smallFile }: TestVault): object {
  return {
    ...loginDraft(vaultId),
    ...item,
    state: 'ARCHIVED',
    files: [{ ...smallFile, content: 'YQ==', section: { id: 'more' } }],
    favorite: true,
    tags: ['a'],
    urls: [{ href: 'https://a.example/', label: 'a', primary: true }],
    sections: [{ id: 'more', label: 'More' }],
    fields: [
      {
        id: 'password',
        type: 'CONCEALED',
        label: 'password',
        value: 'secret',
        purpose: 'PASSWORD',
        section: { id: 'more' },
        generate: false,
        recipe: { characterSets: ['LETTERS'], excludeCharacters: 'a', length: 20 },
        entropy: 100.5,
      },
    ],
  }
}

/** Optional parameters, and the id of a new vault. Those of a path are in the input. */
function optionalParameters({ operationId }: Operation, vault: TestVault): object {
  const isLog = operationId === 'listActivity'
  return {
    vaultId: 'n'.repeat(26),
    filter: operationId === 'listVaults' ? 'name eq "a"' : 'title eq "a"',
    limit: isLog ? 5 : 10,
    after: isLog ? `${'9'.repeat(13)}.${'f'.repeat(32)}` : '0'.repeat(26),
    offset: 0,
    vault_id: vault.vaultId,
    item_id: vault.item.id,
    caller_id: 'wendy',
    operation: 'getItem',
    result: 'SUCCESS',
    since: '2026-01-01T00:00:00Z',
    until: '2026-01-02T00:00:00.5+01:00',
    inline_files: false,
    name: 'a.bin',
    section_id: 'more',
    file_id: '0'.repeat(26),
  }
}

function exampleFor(operation: Operation, vault: TestVault): ExampleRequest {
  const parameters = optionalParameters(operation, vault)
  const route = findRoute(operation.operationId)
  if (route === undefined) return { body: undefined, parameters: { ...parameters } }
  const input = exampleInput(route.operation, toCallRef(vault))
  const { body } = toRouteRequest(route, { vaultId: 'n'.repeat(26), ...input })
  const bodies = { item: completeItem(vault), content: undefined }
  const isNamed = route.body === 'item' || route.body === 'content'
  return { body: isNamed ? bodies[route.body] : body, parameters: { ...parameters, ...input } }
}

const parametersOf = ({ parameters = [] }: Operation): readonly Parameter[] =>
  parameters.flatMap((parameter) => ('$ref' in parameter ? [] : parameter))

async function statusOf(
  operation: Operation,
  vault: TestVault,
  { body, parameters }: ExampleRequest,
) {
  const own = parametersOf(operation)
  const target = own
    .filter((parameter) => parameter.in === 'path')
    .reduce(
      (line, { name }) => line.replace(`{${name}}`, encodeURIComponent(String(parameters[name]))),
      operation.path,
    )
  const query = new URLSearchParams(
    own
      .filter((parameter) => parameter.in === 'query' && parameters[parameter.name] !== undefined)
      .map(({ name }): [string, string] => [name, String(parameters[name])]),
  )
  const text = body === undefined ? undefined : JSON.stringify(body)
  const request = createRequest(vault, operation.method.toUpperCase(), `${target}?${query}`, {
    ...(text !== undefined && { body: streamOf([utf8(text)]) }),
  })
  return (await vault.handler(request)).status
}

/** Not strict for items: the document describes contents of their files, which only then are ignored. */
const extendedVault = ({ operationId }: { readonly operationId: string }) => {
  const strict = !/^(?:create|replace)Item$/.test(operationId)
  return createTestVault({ history: { maxVersions: 3 }, strict }, { extensions: true })
}

/** Returns invalid values of a parameter: those whose text, which has no type, is invalid too. */
function brokenParameters({ name, schema }: Parameter, example: unknown): readonly unknown[] {
  const found = counterexamples(schema, example, dereference)
  const isText = schema['type'] === 'string'
  return found
    .filter(({ claim }) => !(isText && claim.endsWith(': type')))
    .map(({ value }) => value)
    .filter((value) => typeof value !== 'object' && !(value === '' && name !== 'name'))
}

describe.each(operations)('openapi-extensions.json requests of $operationId', (operation) => {
  const schema = operation.requestBody?.content['application/json']?.schema

  it('describes a request that is accepted', async () => {
    const vault = await extendedVault(operation)
    expect(await statusOf(operation, vault, exampleFor(operation, vault))).toBeLessThan(300)
  })

  it('has no constraint on the body that is not checked', async () => {
    if (schema === undefined) return
    const found: string[] = []
    const vault = await extendedVault(operation)
    const example = exampleFor(operation, vault)
    const broken: readonly Counterexample[] = [
      ...counterexamples(schema, example.body, dereference),
      ...(operation.requestBody?.required ? [{ claim: 'required', value: undefined }] : []),
    ]
    for (const { claim, value } of broken) {
      const status = await statusOf(operation, vault, { ...example, body: value })
      if (status !== 400) found.push(`${claim}: ${status} ${JSON.stringify(value)}`)
    }
    expect(found).toEqual([])
  })

  it('has no constraint on a parameter that is not checked', async () => {
    const found: string[] = []
    for (const parameter of parametersOf(operation)) {
      const vault = await extendedVault(operation)
      const example = exampleFor(operation, vault)
      const values = [
        ...brokenParameters(parameter, example.parameters[parameter.name]),
        ...(parameter.required && parameter.in === 'query' ? [undefined] : []),
      ]
      for (const value of values) {
        const parameters = { ...example.parameters, [parameter.name]: value }
        const status = await statusOf(operation, vault, { ...example, parameters })
        // A path with a malformed segment can be an unknown path.
        const isRejected = status === 400 || (status === 404 && parameter.in === 'path')
        if (!isRejected) found.push(`${parameter.name}: ${status} ${JSON.stringify(value)}`)
      }
    }
    expect(found).toEqual([])
  })
})
