import {
  ForbiddenError,
  InvalidInputError,
  NotFoundError,
  quoteFilterValue,
  TooManyRequestsError,
} from 'cofferkit'
import {
  createCallbackActivityLog,
  createMemoryActivityLog,
  createStoredActivityLog,
} from 'cofferkit/activity'
import { createConnectDialect } from 'cofferkit/connect'
import { createExpressHandler, fromExpress } from 'cofferkit/express'
import { createFastifyPlugin } from 'cofferkit/fastify'
import { createFetchHandler } from 'cofferkit/fetch'
import { fromHono } from 'cofferkit/hono'
import { bearerAuth, createHttpHandler } from 'cofferkit/http'
import { importItems, readExport } from 'cofferkit/import'
import { createJwtAuthenticator, createSigningKey, issueToken } from 'cofferkit/jwt'
import { createPublicFetch } from 'cofferkit/node'
import { createPage } from 'cofferkit/page'
import { createItemRules } from 'cofferkit/rules'
import {
  createFaultyStore,
  createSeededRandomBytes,
  createTestClock,
  createTestVault,
  itemDraft,
  plantSeed,
} from 'cofferkit/testing'
import { createTokenAuthenticator, hashToken } from 'cofferkit/tokens'
import { ask, type Guesses, notSet } from './guess.js'

const { service, caller, vaultId, store, item } = await createTestVault()
const handler = createHttpHandler(service, { authenticate: () => caller })
const request = () => new Request('https://example.com/v1/vaults')
const { privateKey, publicKey } = await createSigningKey()
const issue = {
  privateKey,
  issuer: 'app',
  audience: 'vault',
  subject: 'wendy',
  lifetimeSeconds: 60,
  vaults: {},
}
const jwt = createJwtAuthenticator({ issuer: 'app', audience: 'vault', keys: [publicKey] })
const sha256 = await hashToken('secret')

const handlers: Guesses = {
  'a store for a service': {
    compiles: false,
    // @ts-expect-error
    call: () => createHttpHandler(store, { authenticate: () => caller }),
    clear:
      'TypeError: service must be the result of createVaultService itself: to observe or refuse calls, use its option around',
  },
  'no options': {
    compiles: false,
    // @ts-expect-error
    call: () => createHttpHandler(service),
    clear: 'TypeError: options must be an object',
  },
  'a caller for a function': {
    compiles: false,
    // @ts-expect-error
    call: () => createHttpHandler(service, { authenticate: caller }),
    clear: 'TypeError: options.authenticate must be a function, such as the result of bearerAuth',
  },
  'a login without options': {
    compiles: false,
    // @ts-expect-error
    call: () => createHttpHandler(service, () => caller),
    clear:
      'TypeError: options is a function, such as the result of bearerAuth: pass { authenticate }',
  },
  'the option auth': {
    compiles: false,
    // @ts-expect-error
    call: () => createHttpHandler(service, { auth: () => caller }),
    clear: 'TypeError: options.auth is unknown, did you mean authenticate?',
  },
  'the path as prefix': {
    compiles: false,
    // @ts-expect-error
    call: () => createHttpHandler(service, { authenticate: () => caller, prefix: '/vault' }),
    clear: 'TypeError: options.prefix is unknown',
  },
  'a path without a slash': {
    compiles: true,
    call: () => createHttpHandler(service, { authenticate: () => caller, basePath: 'vault' }),
    clear: 'TypeError: options.basePath must be empty, or begin with a slash and end without one',
  },
  'a size as text': {
    compiles: false,
    // @ts-expect-error
    call: () => createHttpHandler(service, { authenticate: () => caller, maxBodyBytes: '1mb' }),
    clear: 'TypeError: options.maxBodyBytes must be a whole number of 0 or more',
  },
  'a probe by its path': {
    compiles: false,
    call: () =>
      // @ts-expect-error
      createHttpHandler(service, { authenticate: () => caller, probes: { healthz: true } }),
    clear: 'TypeError: options.probes.healthz is unknown, did you mean health?',
  },
  'a static token as a login': {
    compiles: false,
    call: () =>
      ask((options) =>
        createFetchHandler(
          createHttpHandler(service, {
            ...options,
            // @ts-expect-error
            authenticate: createTokenAuthenticator({ tokens: [] }),
          }),
        )(request()),
      ),
    clear:
      'AuthenticationUnavailableError: the bearer token must be a string: to authenticate requests, use bearerAuth(authenticator)',
  },
  'a service for a handler': {
    compiles: false,
    // @ts-expect-error
    call: () => createFetchHandler(service),
    clear: 'TypeError: handler must be a function, such as the result of createHttpHandler',
  },
  'a service for an Express handler': {
    compiles: false,
    // @ts-expect-error
    call: () => createExpressHandler(service),
    clear: 'TypeError: api must be a function, such as the result of createHttpHandler',
  },
  'a service for a Fastify plugin': {
    compiles: false,
    // @ts-expect-error
    call: () => createFastifyPlugin(service),
    clear: 'TypeError: api must be a function, such as the result of createHttpHandler',
  },
  'a login of Express that is a caller': {
    compiles: false,
    // @ts-expect-error
    call: () => fromExpress(caller),
    clear: 'TypeError: authenticate must be a function',
  },
  'a login of another framework': {
    compiles: true,
    call: () =>
      ask((options) =>
        createFetchHandler(
          createHttpHandler(service, { ...options, authenticate: fromHono(() => caller) }),
        )(request()),
      ),
    clear: 'AuthenticationUnavailableError: the request must come from cofferkit/hono',
  },
  'a login that returns an id': {
    compiles: false,
    call: () =>
      ask((options) =>
        // @ts-expect-error
        createFetchHandler(createHttpHandler(service, { ...options, authenticate: () => 'wendy' }))(
          request(),
        ),
      ),
    clear: 'AuthenticationUnavailableError: authenticate returned a string: return createCaller(…)',
  },
  'a login that returns true': {
    compiles: false,
    call: () =>
      ask((options) =>
        // @ts-expect-error
        createFetchHandler(createHttpHandler(service, { ...options, authenticate: () => true }))(
          request(),
        ),
      ),
    clear:
      'AuthenticationUnavailableError: authenticate returned a boolean: return createCaller(…)',
  },
  'a bearer token that is text': {
    compiles: false,
    // @ts-expect-error
    call: () => bearerAuth('secret'),
    clear:
      'TypeError: authenticator must be a function, such as the result of createTokenAuthenticator',
  },
  'a page of a service': {
    compiles: false,
    // @ts-expect-error
    call: () => createPage(service),
    clear: 'TypeError: handler must be a function, such as the result of createHttpHandler',
  },
  'a page without slashes': {
    compiles: true,
    call: () => createPage(handler, { basePath: 'vault' }),
    clear: 'TypeError: options.basePath must be empty, or begin with a slash and end without one',
  },
  'a page with readonly': {
    compiles: false,
    // @ts-expect-error
    call: () => createPage(handler, { readonly: true }),
    clear: 'TypeError: options.readonly is unknown, did you mean readOnly?',
  },
  'an incoming request for a request': {
    compiles: false,
    // @ts-expect-error
    call: () => createFetchHandler(handler)({ method: 'GET', url: '/v1/vaults' }),
    clear: 'TypeError: request must be a Request: Node servers need createNodeListener',
  },
  'a public fetch with a URL': {
    compiles: true,
    call: () => createPublicFetch({ allowHosts: ['https://api.stripe.com'] }),
    clear:
      'TypeError: options.allowHosts[0] must be the name or the address of a host, without a port',
  },
}

const tokens: Guesses = {
  'a token that is not hashed': {
    compiles: true,
    call: () => createTokenAuthenticator({ tokens: [{ sha256: 'secret', id: 'ci', vaults: '*' }] }),
    clear:
      'TypeError: options.tokens[0].sha256 must be 64 hexadecimal digits: create one with npx cofferkit token',
  },
  'a list without its options': {
    compiles: false,
    // @ts-expect-error
    call: () => createTokenAuthenticator([{ sha256, id: 'ci', vaults: '*' }]),
    clear: 'TypeError: options is a list of tokens: pass { tokens }',
  },
  'a hash without await': {
    compiles: false,
    call: () =>
      // @ts-expect-error
      createTokenAuthenticator({ tokens: [{ sha256: hashToken('a'), id: 'ci', vaults: '*' }] }),
    clear: 'TypeError: options.tokens[0].sha256 is a promise: is await missing?',
  },
  'a token in an object': {
    compiles: false,
    // @ts-expect-error
    call: () => createTokenAuthenticator({ tokens: { [sha256]: caller } }),
    clear: 'TypeError: options.tokens must be a list of tokens',
  },
  'a token that is undefined': {
    compiles: true,
    call: () => hashToken(notSet),
    clear: 'TypeError: token must be a non-empty string',
  },
  'an empty token': {
    compiles: true,
    call: () => hashToken(''),
    clear: 'TypeError: token must be a non-empty string',
  },
  'a key set as an object': {
    compiles: false,
    call: () =>
      // @ts-expect-error
      createJwtAuthenticator({ issuer: 'app', audience: 'vault', keys: { keys: [publicKey] } }),
    clear: 'TypeError: options.keys must be public JSON Web Keys, or the URL of a JWKS',
  },
  'a secret for keys': {
    compiles: true,
    call: () => createJwtAuthenticator({ issuer: 'app', audience: 'vault', keys: 'shared secret' }),
    clear: 'TypeError: options.keys must be public JSON Web Keys, or the URL of a JWKS',
  },
  'a URL that is undefined': {
    compiles: true,
    call: () => createJwtAuthenticator({ issuer: 'app', audience: 'vault', keys: notSet }),
    clear: 'TypeError: options.keys must be public JSON Web Keys, or the URL of a JWKS',
  },
  'an issuer that is undefined': {
    compiles: true,
    call: () => createJwtAuthenticator({ issuer: notSet, audience: 'vault', keys: [publicKey] }),
    clear: 'TypeError: options.issuer must be a non-empty string',
  },
  'the algorithm HS256': {
    compiles: false,
    call: () =>
      createJwtAuthenticator({
        issuer: 'app',
        audience: 'vault',
        keys: [publicKey],
        // @ts-expect-error
        algorithms: ['HS256'],
      }),
    clear:
      'TypeError: options.algorithms[0] must be one of ES256, ES384, ES512, RS256, RS384, RS512, PS256, PS384, PS512, EdDSA, Ed25519',
  },
  'a private key among the keys': {
    compiles: true,
    call: () => createJwtAuthenticator({ issuer: 'app', audience: 'vault', keys: [privateKey] }),
    clear: 'TypeError: options.keys must be public JSON Web Keys, or the URL of a JWKS',
  },
  'no keys': {
    compiles: true,
    call: () => createJwtAuthenticator({ issuer: 'app', audience: 'vault', keys: [] }),
    clear: 'TypeError: options.keys must be public JSON Web Keys, or the URL of a JWKS',
  },
  'a tolerance in milliseconds': {
    compiles: true,
    call: () =>
      createJwtAuthenticator({
        issuer: 'app',
        audience: 'vault',
        keys: [publicKey],
        clockToleranceSeconds: 5000,
      }),
    clear: 'RangeError: options.clockToleranceSeconds must be a number from 0 to 600 seconds',
  },
  'a lifetime in milliseconds': {
    compiles: true,
    call: () => issueToken({ ...issue, lifetimeSeconds: 3_600_000 }),
    clear: 'RangeError: input.lifetimeSeconds must be a whole number from 1 to 2,678,400 seconds',
  },
  'a lifetime as text': {
    compiles: false,
    // @ts-expect-error
    call: () => issueToken({ ...issue, lifetimeSeconds: '1h' }),
    clear: 'TypeError: input.lifetimeSeconds must be a whole number from 1 to 2,678,400 seconds',
  },
  'the option expiresIn': {
    compiles: false,
    // @ts-expect-error
    call: () => issueToken({ ...issue, expiresIn: 3600 }),
    clear: 'TypeError: input.expiresIn is unknown',
  },
  'a pair for a key': {
    compiles: false,
    // @ts-expect-error
    call: () => issueToken({ ...issue, privateKey: { privateKey, publicKey } }),
    clear:
      'TypeError: input.privateKey must be a private JSON Web Key, such as the privateKey of createSigningKey',
  },
  'a public key for the private': {
    compiles: true,
    call: () => issueToken({ ...issue, privateKey: publicKey }),
    clear:
      'TypeError: input.privateKey must be a private JSON Web Key, such as the privateKey of createSigningKey',
  },
  'all vaults': {
    compiles: false,
    // @ts-expect-error
    call: () => issueToken({ ...issue, vaults: '*' }),
    clear: 'TypeError: input.vaults must be permissions by vault id',
  },
  'a token with Bearer': {
    compiles: true,
    call: async () => jwt(`Bearer ${(await issueToken(issue)).token}`),
    vague: 'UnauthorizedError: Invalid bearer token',
  },
  'an issued token as a whole': {
    compiles: false,
    // @ts-expect-error
    call: async () => jwt(await issueToken(issue)),
    clear:
      'AuthenticationUnavailableError: the bearer token must be a string: to authenticate requests, use bearerAuth(authenticator)',
  },
}

const activity: Guesses = {
  'a date': {
    compiles: false,
    // @ts-expect-error
    call: () => service.listActivity(caller, { since: new Date() }),
    clear: 'InvalidInputError: since must be a string',
  },
  milliseconds: {
    compiles: false,
    // @ts-expect-error
    call: () => service.listActivity(caller, { since: Date.now() }),
    clear: 'InvalidInputError: since must be a string',
  },
  'a day': {
    compiles: true,
    call: () => service.listActivity(caller, { since: '2026-01-01' }),
    clear: 'InvalidInputError: since must be a time, such as 2026-01-31T12:00:00Z',
  },
  'the member from': {
    compiles: false,
    // @ts-expect-error
    call: () => service.listActivity(caller, { from: '2026-01-01T00:00:00Z' }),
    clear: 'InvalidInputError: from: unknown',
  },
  'an operation that does not exist': {
    compiles: true,
    call: () => service.listActivity(caller, { operation: 'getitem' }),
    meant: {
      page: 'docs/activity.md',
      says: 'An `operation` that does not exist matches no entry',
    },
  },
  'a result in lower case': {
    compiles: false,
    // @ts-expect-error
    call: () => service.listActivity(caller, { result: 'success' }),
    clear: 'InvalidInputError: result must be one of "PENDING", "SUCCESS", "DENY"',
  },
  'a store of a log in an object': {
    compiles: false,
    // @ts-expect-error
    call: () => createStoredActivityLog({ store }),
    clear: 'TypeError: store.records must be an object with get, put, delete, list',
  },
  'a log of undefined': {
    compiles: true,
    call: () => createCallbackActivityLog(notSet),
    clear: 'TypeError: record must be a function',
  },
  'a number of entries': {
    compiles: false,
    // @ts-expect-error
    call: () => createMemoryActivityLog(1000),
    clear: 'TypeError: options must be an object',
  },
  'entries since a date': {
    compiles: false,
    call: async () => {
      // @ts-expect-error
      for await (const _ of createMemoryActivityLog().entries({ since: new Date() })) return
    },
    clear: 'TypeError: options.since must be a string',
  },
}

const others: Guesses = {
  'rules of a function': {
    compiles: false,
    // @ts-expect-error
    call: () => createItemRules(() => {}),
    clear: 'TypeError: options must be an object',
  },
  'a rule by another name': {
    compiles: false,
    // @ts-expect-error
    call: () => createItemRules({ validate: () => {} }),
    clear: 'TypeError: options.validate is unknown, did you mean validateItem?',
  },
  'a draft without its vault': {
    compiles: false,
    // @ts-expect-error
    call: () => createItemRules().create({ category: 'LOGIN' }),
    clear: 'InvalidInputError: vault must be an object',
  },
  'a rule that returns false': {
    compiles: false,
    call: () =>
      // @ts-expect-error
      createItemRules({ validateItem: () => false }).create({
        category: 'LOGIN',
        vault: { id: vaultId },
      }),
    clear: 'RuleError: validateItem must be synchronous and return nothing',
  },
  'a draft and an item that are swapped': {
    compiles: false,
    // @ts-expect-error
    call: () => createItemRules().replace({ category: 'LOGIN' }, item),
    clear:
      'TypeError: item must be an item: id must be a string; vault must be an object; favorite must be a boolean; tags must be an array; urls must be an array; version must be a number; createdAt must be a string; updatedAt must be a string; lastEditedBy must be a string; sections must be an array; fields must be an array; files must be an array',
  },
  'an export as text': {
    compiles: false,
    // @ts-expect-error
    call: () => readExport('{"items":[]}'),
    clear: 'TypeError: bytes must be a Uint8Array',
  },
  'a path of an export': {
    compiles: false,
    // @ts-expect-error
    call: () => readExport('export.1pux'),
    clear: 'TypeError: bytes must be a Uint8Array',
  },
  'an export without await': {
    compiles: false,
    // @ts-expect-error
    call: () => readExport(Promise.resolve(new Uint8Array())),
    clear: 'TypeError: bytes is a promise: is await missing?',
  },
  'a format in upper case': {
    compiles: false,
    // @ts-expect-error
    call: () => readExport(new Uint8Array(4), { format: '1PUX' }),
    clear: 'TypeError: options.format must be 1pux or bitwarden',
  },
  'items without a vault': {
    compiles: false,
    // @ts-expect-error
    call: () => importItems(service, caller, { items: [], files: [] }),
    clear: 'TypeError: input.vaultId must be a string',
  },
  'a result without its vault': {
    compiles: false,
    call: () =>
      importItems(
        service,
        caller,
        // @ts-expect-error
        readExport(Buffer.from('{"encrypted":false,"folders":[],"items":[]}')),
      ),
    clear: 'TypeError: input.vaultId must be a string',
  },
  'bytes for items': {
    compiles: false,
    // @ts-expect-error
    call: () => importItems(service, caller, new Uint8Array()),
    clear: 'TypeError: input must be an object',
  },
  'a clock at a date': {
    compiles: false,
    // @ts-expect-error
    call: () => createTestClock(new Date()),
    clear: 'TypeError: start must be an ISO 8601 time',
  },
  'a day for a clock': {
    compiles: true,
    call: () => createTestClock('tomorrow'),
    clear: 'TypeError: start must be an ISO 8601 time',
  },
  'a vault at a time': {
    compiles: false,
    // @ts-expect-error
    call: () => createTestVault({ now: new Date() }),
    clear: 'TypeError: options.now must be the result of createTestClock',
  },
  'a seed as text': {
    compiles: false,
    // @ts-expect-error
    call: () => createSeededRandomBytes('seed'),
    clear: 'TypeError: seed must be a number',
  },
  'a seed without its vaults': {
    compiles: false,
    // @ts-expect-error
    call: () => plantSeed(service, caller, [{ name: 'Home' }]),
    clear: 'TypeError: seed must be an object with vaults',
  },
  'fields of another category': {
    compiles: false,
    // @ts-expect-error
    call: () => itemDraft('LOGIN', { values: { hostname: 'x' } }),
    clear:
      'TypeError: changes.values must be an object with members of username, password, one_time_code, notesPlain',
  },
  'a category that does not exist': {
    compiles: false,
    // @ts-expect-error
    call: () => itemDraft('Login'),
    clear:
      'TypeError: category must be one of LOGIN, PASSWORD, API_CREDENTIAL, SERVER, DATABASE, CREDIT_CARD, MEMBERSHIP, PASSPORT, SOFTWARE_LICENSE, OUTDOOR_LICENSE, SECURE_NOTE, WIRELESS_ROUTER, BANK_ACCOUNT, DRIVER_LICENSE, IDENTITY, REWARD_PROGRAM, DOCUMENT, EMAIL_ACCOUNT, SOCIAL_SECURITY_NUMBER, MEDICAL_RECORD, SSH_KEY, CUSTOM',
  },
  'a fault for a function': {
    compiles: false,
    // @ts-expect-error
    call: () => createFaultyStore(store, 'fail-before'),
    clear: 'TypeError: faultOf must be a function',
  },
  'an error without new': {
    compiles: false,
    // @ts-expect-error
    call: () => ForbiddenError('no'),
    clear: "TypeError: Class constructor ForbiddenError cannot be invoked without 'new'",
  },
  'an error without a message': {
    compiles: false,
    // @ts-expect-error
    call: () => new ForbiddenError(),
    clear: 'TypeError: message must be a string',
  },
  'an error with a resource first': {
    compiles: false,
    // @ts-expect-error
    call: () => new NotFoundError('item', 'abc'),
    clear: 'TypeError: options must be an object',
  },
  'the path of an error': {
    compiles: false,
    // @ts-expect-error
    call: () => new InvalidInputError('title', 'is missing'),
    clear: 'TypeError: options must be an object',
  },
  'seconds without an object': {
    compiles: false,
    // @ts-expect-error
    call: () => new TooManyRequestsError('slow down', 60),
    clear: 'TypeError: options must be an object',
  },
  'a status among the options': {
    compiles: false,
    // @ts-expect-error
    call: () => new ForbiddenError('no', { status: 402 }),
    clear: 'TypeError: options.status is unknown',
  },
  'a value that is no text': {
    compiles: false,
    // @ts-expect-error
    call: () => quoteFilterValue(7),
    clear: 'TypeError: value must be a string',
  },
  'a filter of another library': {
    compiles: false,
    // @ts-expect-error
    call: () => service.listItems(caller, { vaultId, filter: { title: { eq: 'Router' } } }),
    clear: 'InvalidInputError: filter must be a string',
  },
  'a dialect with a type that does not exist': {
    compiles: false,
    // @ts-expect-error
    call: () => createConnectDialect({ otpType: 'totp' }),
    clear: 'TypeError: options.otpType must be OTP or TOTP',
  },
}

/** The guesses of this file, by group. */
export const httpGuesses = { handlers, tokens, activity, others }
