/** Handles HTTP requests for the credentials of a vault, without ever returning a secret. */

import { callback, kindOf, readArgument } from '../base/argument.js'
import { basePath } from '../base/base-path.js'
import { isObject } from '../base/is-object.js'
import { defineOptions, type OptionKinds, type OptionValues, optional } from '../base/options.js'
import { toRuleError } from '../base/rule-error.js'
import { safeGet } from '../base/safe-get.js'
import { assertNotExpired, type KnownCaller } from '../core/access/caller.js'
import type { RefusedCall } from '../core/assert-service.js'
import type { OperationName } from '../core/vault-service.js'
import {
  InvalidInputError,
  NotFoundError,
  RuleError,
  UnsupportedMediaTypeError,
} from '../errors.js'
import {
  type AuthenticationOptions,
  authenticationKinds,
  withAuthTimeout,
} from '../http/authenticate.js'
import type { HttpHandler, HttpRequest, HttpResponse } from '../http/message.js'
import { metricsOf } from '../http/metrics.js'
import { type BodyLimits, bodyLimits, readBody } from '../http/read-body.js'
import { parseQuery, readQuery } from '../http/read-query.js'
import { emptyResponse, jsonResponse, unreadableHeader } from '../http/responses.js'
import { decodeSegment, type RoutePattern } from '../http/router.js'
import { type RoutedRequest, serveRoutes } from '../http/serve-routes.js'
import { isId } from '../schema/is-id.js'
import type { Credentials, HandledCredentials, VaultCredentials } from './vault-credentials.js'

/** Options of `createCredentialHandler`. */
export interface CredentialHandlerOptions extends AuthenticationOptions, BodyLimits {
  /**
   * Returns the id of the vault with the credentials, such as the vault of the caller's customer.
   * If it throws an error of this library, that error is the response. Any other error becomes a
   * RuleError (500). `authenticationTimeoutMs` limits how long it may take.
   */
  readonly vaultOf: (caller: KnownCaller, request: HttpRequest) => string | Promise<string>
  /** The prefix of every path, such as `/api`, without a slash at its end. Default: empty. */
  readonly basePath?: string | undefined
  /**
   * Called with every error whose response has a status of 500 or more. Errors that it throws are
   * ignored. By default each error is printed with `console.error`, without the messages of foreign
   * errors.
   */
  readonly onError?: ((error: unknown, request: HttpRequest, requestId: string) => void) | undefined
}

const handlerOptions = defineOptions({
  ...authenticationKinds,
  ...bodyLimits.kinds,
  vaultOf: callback(),
  basePath,
  onError: optional(callback()),
} satisfies OptionKinds<CredentialHandlerOptions>)

/**
 * Creates a handler for the page on which customers enter their keys:
 * - `GET /credentials`: returns the views of all credentials. The header `x-cofferkit-unreadable`
 *   counts the credentials that are left out because their item and its record are damaged
 * - `GET /credentials/{name}`: returns the view of one credential
 * - `PUT /credentials/{name}`: saves the values in the JSON body, `{ "key": "…" }`, and returns the
 *   view
 * - `DELETE /credentials/{name}`: deletes the credential, and returns 204
 * - `POST /credentials/{name}/verify`: verifies the stored values and returns the view. The body
 *   must be `{}`, so that a form on another site cannot send the request
 *
 * All routes except the first accept `?account=`. They fail with the errors of
 * {@link VaultCredentials}, with 404 for an unknown name, and with 400 for any other parameter, for
 * a member in the body of a verification, and for a GET or DELETE with a body. No response contains
 * a secret.
 * @returns A handler that never rejects, for any mount.
 * @throws TypeError if
 * - `credentials` is not the result of `createCredentials`
 * - an option is unknown or has the wrong type
 * - `basePath` is not empty, and does not begin with a slash or ends with one
 * @throws RangeError if a limit is not an integer of 0 or more, or a timeout is neither a number of
 * 1 or more nor Infinity.
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { createCredentialHandler } from 'cofferkit/credentials'
 * import { createNodeListener } from 'cofferkit/node'
 *
 * const handler = createCredentialHandler(credentials, {
 *   authenticate,
 *   vaultOf: (caller) => findVaultOfCustomer(caller.id),
 * })
 * createServer(createNodeListener(handler)).listen(8080)
 * ```
 */
export function createCredentialHandler(
  credentials: Credentials,
  options: CredentialHandlerOptions,
): HttpHandler {
  const handled = readArgument(handledCredentials, { credentials, options })
  const settings = handlerOptions.read(options)
  const { basePath, onError } = settings
  return serveRoutes({
    ...{ basePath, onError },
    metrics: metricsOf(handled.service),
    authentication: settings,
    routes: credentialRoutes.map((route) => ({
      label: route.operation,
      method: route.method,
      path: route.path,
      respond: (routed) => respond(handled, route, routed, settings),
    })),
  })
}

type Settings = OptionValues<typeof handlerOptions.kinds>

async function respond(
  handled: HandledCredentials,
  { operation, body, action }: CredentialRoute,
  { request, requestId, parameters, query, client, login }: RoutedRequest,
  settings: Settings,
): Promise<HttpResponse> {
  const { service } = handled
  const name = parameters['name'] === undefined ? undefined : decodeSegment(parameters['name'])
  const refused: { -readonly [Name in keyof RefusedCall]: RefusedCall[Name] } = { ids: {}, client }
  let unreadable = 0
  let prepared: () => Promise<unknown>
  try {
    const caller = await login()
    refused.caller = caller
    assertNotExpired(caller, service.now)
    const vaultId = await findVault(caller, request, settings)
    refused.ids = { vaultId }
    if (name !== undefined && !handled.names.includes(name))
      throw new NotFoundError('no such kind of credential', { resource: 'item', id: '' })
    const account = readAccount(query, name === undefined ? {} : accountParameter)
    if (name !== undefined) refused.credential = { name, ...account }
    const values = await readValues(body, request, settings)
    prepared = () =>
      action(handled.of(caller, vaultId), {
        onUnreadable: () => unreadable++,
        ...{ name: name ?? '', account, values },
      })
  } catch (error) {
    return service.refuse(operation, refused, error)
  }
  const result = await prepared()
  if (result === undefined) return emptyResponse(requestId)
  const headers = unreadable > 0 ? { [unreadableHeader]: String(unreadable) } : {}
  return jsonResponse(requestId, JSON.stringify(result), headers)
}

const handledCredentials = kindOf<HandledCredentials>(
  'the result of createCredentials',
  (value) => typeof safeGet(safeGet(value, 'service'), 'refuse') === 'function',
)

interface ActionInput {
  /** Called for each unreadable item that a list leaves out. */
  onUnreadable(): void
  readonly name: string
  readonly account: { readonly account?: string }
  /** The members of the body. */
  readonly values: Readonly<Record<string, string>>
}

/** A route, and what it does. */
interface CredentialRoute extends RoutePattern {
  /** The operation that is recorded if the request is refused. */
  readonly operation: Extract<OperationName, `${string}Credential${string}`>
  /** The body of the request: none, an object without members, or the values of a credential. */
  readonly body: 'none' | 'empty' | 'values'
  action(credentials: VaultCredentials, input: ActionInput): Promise<unknown>
}

const one = '/credentials/{name}'

const credentialRoutes: readonly CredentialRoute[] = [
  {
    ...{ operation: 'listCredentials', method: 'GET', path: '/credentials', body: 'none' },
    action: (credentials, { onUnreadable }) => credentials.list({ onUnreadable }),
  },
  {
    ...{ operation: 'describeCredential', method: 'GET', path: one, body: 'none' },
    action: (credentials, { name, account }) => credentials.describe(name, account),
  },
  {
    ...{ operation: 'saveCredential', method: 'PUT', path: one, body: 'values' },
    action: (credentials, { name, account, values }) => credentials.save(name, values, account),
  },
  {
    ...{ operation: 'removeCredential', method: 'DELETE', path: one, body: 'none' },
    action: (credentials, { name, account }) => credentials.remove(name, account),
  },
  {
    ...{ operation: 'verifyCredential', method: 'POST', path: `${one}/verify`, body: 'empty' },
    action: (credentials, { name, account }) => credentials.verify(name, account),
  },
]

async function findVault(
  caller: KnownCaller,
  request: HttpRequest,
  options: Settings,
): Promise<string> {
  let vaultId: unknown
  try {
    vaultId = await withAuthTimeout(options, 'vaultOf', options.vaultOf(caller, request))
  } catch (error) {
    throw toRuleError(error, 'vaultOf')
  }
  if (isId(vaultId)) return vaultId
  throw new RuleError('vaultOf did not return the id of a vault')
}

const accountParameter = { account: { member: 'account', type: 'string' } } as const

/** @throws InvalidInputError for a parameter that is not one of `parameters`. */
function readAccount(
  query: string,
  parameters: Partial<typeof accountParameter>,
): { readonly account?: string } {
  const input: Record<string, unknown> = {}
  readQuery(parameters, query, input, { extensions: true, aliases: {} })
  // A misspelt parameter would mean the credential without an account. The message does not repeat
  // it, because it may be a value in the wrong place.
  for (const name of parseQuery(query).keys())
    if (!Object.hasOwn(parameters, name)) throw InvalidInputError.at('', unknownParameter)
  const { account } = input
  return account === undefined ? {} : { account: String(account) }
}

const unknownParameter =
  'unknown parameter: only account is known, for requests about one credential'

/**
 * Returns the members of the JSON object in the body, or none if there must be no body.
 * @throws InvalidInputError if the body has another form, and the errors of `readBody`.
 * @throws UnsupportedMediaTypeError even without `Content-Type`, because a browser sends such a
 * body from another site without asking first.
 */
async function readValues(
  form: CredentialRoute['body'],
  request: HttpRequest,
  limits: OptionValues<typeof bodyLimits.kinds>,
): Promise<Readonly<Record<string, string>>> {
  if (form === 'none') {
    assertNoBody(request)
    return {}
  }
  if (request.header('content-type') === undefined)
    throw new UnsupportedMediaTypeError(
      'the body must be JSON: send Content-Type: application/json',
    )
  const body = await readBody(request, limits)
  if (!isObject(body)) throw InvalidInputError.at('', 'the body must be an object')
  if (form === 'empty' && Object.keys(body).length > 0)
    throw InvalidInputError.at('', 'the body must be an empty object')
  // `save` checks that they are strings.
  return { ...body } as Readonly<Record<string, string>>
}

/** @throws InvalidInputError if the request has a body, which could name an account. */
function assertNoBody(request: HttpRequest): void {
  const length = Number(request.header('content-length') ?? 0)
  if (length === 0 && request.header('transfer-encoding') === undefined) return
  throw InvalidInputError.at('', 'the request must not have a body: pass the account as ?account=')
}
