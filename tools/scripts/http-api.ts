/** Creates the pages about the HTTP API from the tables of routes, operations and errors. */

import * as z from 'zod'
import { type ErrorCode, errorStatuses } from '../../src/errors.js'
import { activityEntrySchema } from '../../src/http/openapi/activity-entry-schema.js'
import { errorBodySchema } from '../../src/http/openapi/json-schema.js'
import {
  type DescribedOperation,
  describedOperations,
  itemDescriptionSchema,
  itemSummarySchema,
  itemVersionSchema,
} from '../../src/http/openapi/operations.js'
import {
  bodyErrors,
  commonErrors,
  probes,
  type Route,
  routes,
  routingErrors,
} from '../../src/http/routes.js'
import { fileDetailsSchema } from '../../src/schema/file.js'
import { itemDraftSchema, itemSchema } from '../../src/schema/item.js'
import { patchOperationSchema } from '../../src/schema/patch.js'
import { vaultSchema } from '../../src/schema/vault.js'
import { attributesOf, elementOf, type Schema } from './attributes.js'
import { recordExamples } from './http-api/record-examples.js'

/** The page of the repository: what is the same for every route, and the table of the routes. */
const intro = `<!-- Written by npm run generate. -->

# The HTTP API

Start a server. It prints two variables; export them in another terminal:

\`\`\`sh
npx cofferkit serve --store memory --dialect contract
\`\`\`

There, create a login with a generated password:

\`\`\`sh
TOKEN="Authorization: Bearer $OP_CONNECT_TOKEN"
VAULT=$(curl -s -H "$TOKEN" $OP_CONNECT_HOST/v1/vaults | grep -oE '[0-9a-z]{26}' | head -1)
curl -s $OP_CONNECT_HOST/v1/vaults/$VAULT/items -H "$TOKEN" -H 'Content-Type: application/json' \\
  -d '{ "category": "LOGIN", "title": "Wi-Fi", "vault": { "id": "'$VAULT'" },
        "fields": [{ "id": "password", "type": "CONCEALED", "purpose": "PASSWORD",
                     "generate": true }] }'
\`\`\`

The response is the item, shortened:

\`\`\`json
{
  "id": "zzc6bxvcfqbrba477tci6jo25u",
  "category": "LOGIN",
  "title": "Wi-Fi",
  "version": 1,
  "fields": [
    {
      "id": "password", "type": "CONCEALED", "purpose": "PASSWORD",
      "value": "es6PpJ4Ql3i!kNnWkGUI5qu6"
    }
  ]
}
\`\`\`

## Conventions

- **Paths** are relative to the mount. HEAD returns what GET returns, without the body.
- **A response can come before you have sent the whole body**, for example 401 or 413. If it has \`Connection: close\`, stop sending. See [unread bodies](mounting.md#unread-bodies).
- **Authentication** is up to your \`authenticate\`. With \`bearerAuth\`, every request needs \`Authorization: Bearer <token>\`. See [authentication](authentication.md).
- **A body** is JSON in UTF-8, with \`Content-Type: application/json\`, \`application/json-patch+json\`, or no \`Content-Type\`. Unknown attributes are not stored; a [strict](contract.md#strict-services) service rejects them with 400. [openapi.json](openapi.json) has the shapes, [the contract page](contract.md) the rules.
- **\`If-Match\`** is one entity tag, or \`*\`: the change is made only if the item or vault still has that tag. The \`ETag\` of an item is its \`version\` in quotes, that of a vault its \`attributeVersion\`.
- **Extensions** need the option \`extensions\` of \`createHttpHandler\`. Without it, their paths return 404 and their methods 405, and their parameters are ignored.
- **Lists** take a [\`filter\`](filters.md) and, with extensions, \`limit\` and \`after\`. An unsorted list of \`limit\` results has a header \`Link\` with \`rel="next"\` to the next page.
- **\`X-Request-Id\`** of the request is returned in the response. If it is absent, or not 1 to 128 letters, digits, \`_\`, \`.\` and \`-\`, a new id is created. [Every response](mounting.md#every-response) lists the other headers.
`

const openApi = `## In OpenAPI

[openapi.json](openapi.json) describes every parameter, shape and response in OpenAPI 3.1, including extensions.

\`createOpenApiDocument\` creates such a document for your own service. The option \`openApiDocument\` serves it at \`/v1/openapi.json\`, without a token, because it contains no id and no value:

\`\`\`ts run
import { createVaultService } from 'cofferkit'
import { createFetchHandler } from 'cofferkit/fetch'
import { bearerAuth, createHttpHandler, createOpenApiDocument } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'
import { createTokenAuthenticator } from 'cofferkit/tokens'

const service = createVaultService({ store: createMemoryStore() })
const authenticate = bearerAuth(createTokenAuthenticator({ tokens: [] }))
const described = { extensions: true } // both need the same basePath and extensions
const openApiDocument = createOpenApiDocument({ title: 'Our secrets', version: '1.0.0' }, described)
const handler = createHttpHandler(service, { ...described, authenticate, openApiDocument })
const handle = createFetchHandler(handler)

const response = await handle(new Request('http://localhost/v1/openapi.json'))
console.log((await response.json()).info) // { title: 'Our secrets', version: '1.0.0', ...
\`\`\`

Clients must ignore unknown attributes. The document describes the contract dialect, so it lacks what only the connect dialect has, such as \`totp\` and [the type \`OTP\`](clients.md#one-time-codes). It also leaves out HEAD. Run \`openapi-typescript\` with \`--default-non-nullable false\`; otherwise its types require attributes of a draft that have a default.
`

const referenceIntro = `# HTTP API reference

Every route with its parameters, its responses, its errors and examples. [The HTTP API](http-api.md) has what is the same for all of them.
`

const examplesIntro = `The examples were sent to one server, in this order, and the responses are its own. The server listens on \`http://localhost:8080\`, has the option \`extensions\`, and begins with a vault *Office* and two items, *Router* and *Printer*. \`$TOKEN\` can read and write every vault, \`$READER_TOKEN\` can only read. Of the headers only those that the example is about are shown; \`curl -i\` prints all of them.
`

/** The shapes of bodies and responses, with the headings of their sections. */
const shapes: readonly (readonly [name: string, schema: Schema])[] = [
  ['Item draft', itemDraftSchema],
  ['Patch operation', patchOperationSchema],
  ['Item', itemSchema],
  ['Item summary', itemSummarySchema],
  ['Item description', itemDescriptionSchema],
  ['File', fileDetailsSchema],
  ['Vault', vaultSchema],
  ['Item version', itemVersionSchema],
  ['Activity entry', activityEntrySchema],
  ['Error', errorBodySchema],
]

/** The page `docs/http-api.md`. */
export function httpApiPage(): string {
  return [
    intro,
    '## Routes\n',
    table(overviewHeader, routes.filter(({ extension }) => !extension).map(overview)),
    'With the option `extensions`, also:\n',
    table(overviewHeader, routes.filter(({ extension }) => extension).map(overview)),
    'Success is 200, or 204 without a body for DELETE. A response of `listActivity` also says which part of the log it contains, as `Content-Range: 1-50/1134`.\n',
    'These routes are for the operator, and need no token:\n',
    table(
      ['request', 'returns'],
      probes.map(({ probe, method, path }) => [`${method} \`${path}\``, probeResponses[probe]]),
    ),
    '## Errors\n',
    'The body of an error is `{ "status": 400, "message": "…" }`. [Errors](errors.md) has the cause of every code.\n',
    `Every route can return ${statuses([...routingErrors, ...commonErrors])}. A route with a body also: ${statuses(bodyErrors)}.\n`,
    openApi,
  ].join('\n')
}

/**
 * The page of the site that describes each route, with links from the folder `docs/generated`. Its
 * examples are sent to a server that is started for them.
 */
export async function httpReferencePage(): Promise<string> {
  const examples = await recordExamples()
  const page = [
    referenceIntro,
    examplesIntro,
    ...routes.map((route) => section(route, examples.get(route.id ?? route.operation))),
    '## Probes\n',
    ...probes.map(({ probe, path }) => `\`${path}\`\n\n${examples.get(probe)}`),
    '## Errors of every route\n',
    'Any other error is in [Errors](errors.md), with its cause and an example.\n',
    examples.get('other') ?? '',
    '## Shapes\n',
    'Names of nested attributes are joined by dots. `[]` is each element of an array.\n',
    ...shapes.map(
      ([name, schema]) =>
        `### ${name}\n\n${table(['attribute', 'type', 'required', 'notes'], attributesOf(schema))}`,
    ),
  ].join('\n')
  return page.replace(/(?<=\]\()(?=[\w-]+\.md)/g, '../')
}

const probeResponses = {
  heartbeat: '`.`',
  health:
    'the state of the store as JSON; 503 if the store fails or does not respond within five seconds',
  metrics:
    'metrics for Prometheus: requests by operation and status, durations, write conflicts, errors of the store',
} as const

const overviewHeader = ['operation', 'request', 'does'] as const

/** A row of the table, with an anchor that other pages link to. */
function overview({ operation, id = operation, method, path }: Route): string[] {
  const { summary }: DescribedOperation = describedOperations[operation]
  return [`<a id="${id.toLowerCase()}"></a>\`${operation}\``, `${method} \`${path}\``, summary]
}

function section(route: Route, examples = ''): string {
  const {
    operation,
    id = operation,
    method,
    path,
    body,
    query = {},
    conditional,
    extension,
  } = route
  const { summary, input, errors }: DescribedOperation = describedOperations[operation]
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, name] as const)
  const inQuery = Object.entries(query).map(([name, { member }]) => [name, member] as const)
  const extensions = Object.keys(query).filter((name) => query[name]?.extension && !extension)
  const parameters = [
    ...createRows(inPath, input.shape).map((row) => row.toSpliced(1, 0, 'path')),
    ...createRows(inQuery, input.shape, extensions).map((row) => row.toSpliced(1, 0, 'query')),
    ...(conditional ? [['`If-Match`', 'header', 'entity tag', 'no', '']] : []),
  ]
  const codes = [...new Set([...errors, ...(body === undefined ? [] : bodyErrors)])]
  return [
    `## ${id}\n`,
    `\`${method} ${path}\`${extension ? ', an extension' : ''}\n`,
    `${summary}.\n`,
    ...(parameters.length === 0
      ? []
      : [table(['parameter', 'in', 'type', 'required', 'notes'], parameters)]),
    ...(body === undefined ? [] : [describeBody(body, input.shape)]),
    `Returns ${describeResponse(operation)}.\n`,
    `Errors: ${statuses(codes)}.\n`,
    examples,
  ].join('\n')
}

/** Describes a body: one shape, an object with members of the operation's input, or bytes. */
function describeBody(
  body: NonNullable<Route['body']>,
  shape: DescribedOperation['input']['shape'],
): string {
  if (body === 'content') return 'Body: the bytes of the file, of any `Content-Type`.\n'
  if (typeof body === 'string') return `Body: ${nameOf(shape[body] as Schema)}.\n`
  const rows = createRows(
    body.map((name) => [name, name]),
    shape,
  )
  return `Body: an object.\n\n${table(['attribute', 'type', 'required', 'notes'], rows)}`
}

/** The rows of members of an operation's input, under the names that requests use. */
function createRows(
  members: readonly (readonly [name: string, member: string])[],
  shape: DescribedOperation['input']['shape'],
  extensions: readonly string[] = [],
): string[][] {
  return members.flatMap(([name, member]) => {
    const schema = shape[member] as Schema
    return attributesOf(z.object({ [name]: schema } as never)).map(
      ([cell, type, required, notes]) => {
        const all = [...(extensions.includes(name) ? ['extension'] : []), notes]
        return [cell, type, required, all.filter((note) => note !== '').join('; ')] as string[]
      },
    )
  })
}

function describeResponse(operation: Route['operation']): string {
  const { output }: DescribedOperation = describedOperations[operation]
  if (operation === 'listActivity')
    return `200 with an array of: ${linkTo('Activity entry')}, and the part of the log in \`Content-Range\`, such as \`1-50/1134\``
  if (output !== undefined) return `200 with ${nameOf(output)}`
  return operation === 'readFileContent'
    ? '200 with the bytes, as `application/octet-stream`'
    : '204 without a body'
}

function nameOf(schema: Schema): string {
  const element = elementOf(schema)
  const shape = shapes.find(([, candidate]) => candidate === (element ?? schema))
  if (shape === undefined) throw new Error('a route has a shape without a heading')
  return `${element === undefined ? '' : 'an array of: '}${linkTo(shape[0])}`
}

function statuses(codes: readonly ErrorCode[]): string {
  return codes
    .toSorted((left, right) => errorStatuses[left] - errorStatuses[right])
    .map((code) => `${errorStatuses[code]} [\`${code}\`](errors.md#${code.toLowerCase()})`)
    .join(', ')
}

function linkTo(heading: string): string {
  return `[${heading}](#${heading.toLowerCase().replaceAll(' ', '-')})`
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => '---'), ...rows].map(
    (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`,
  )
  return `${lines.join('\n')}\n`
}
