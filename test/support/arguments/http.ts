/** Wrong calls of the functions of `cofferkit/http`, of the mounts and of the authenticators. */

import { createVaultService } from 'cofferkit'
import { createCredentials } from 'cofferkit/credentials'
import { fromExpress } from 'cofferkit/express'
import { bearerAuth, createHttpHandler } from 'cofferkit/http'
import { createJwtAuthenticator, createSigningKey } from 'cofferkit/jwt'
import { createMemoryStore } from 'cofferkit/memory'
import { createPublicFetch } from 'cofferkit/node'
import { createTokenAuthenticator } from 'cofferkit/tokens'
import { adapters } from '../http/adapters.js'
import {
  notFunctions,
  notOptions,
  notStrings,
  secret,
  type WrongCalls,
  type WrongCallsByName,
  wrongService,
} from './wrong-call.js'

const service = createVaultService({ store: createMemoryStore() })
const credentials = createCredentials(service, { stripe: { fields: { key: {} } } })
const authenticate = (): undefined => undefined
const { privateKey, publicKey } = await createSigningKey()
const jwt = { issuer: 'i', audience: 'a', keys: [publicKey] }
const token = {
  privateKey,
  issuer: 'i',
  audience: 'a',
  subject: 's',
  vaults: {},
  lifetimeSeconds: 1,
}
const sha256 = '0'.repeat(64)

/** The wrong calls of a mount whose parameter for the handler has this name. */
const mountCalls = (name: string): WrongCalls => ({
  [`${name} must be a function, such as the result of createHttpHandler`]: [
    [],
    [service],
    [createHttpHandler],
    ...notFunctions.map((value) => [value]),
  ],
})

/** The wrong calls of a function that makes the option `authenticate` for one mount. */
const loginCalls: WrongCalls = {
  'authenticate must be a function': [[], ...notFunctions.map((value) => [value])],
  'options must be an object': notOptions.map((value) => [authenticate, value]),
  'options.challenge must be a string': [[authenticate, { challenge: true }]],
}

/** The wrong calls of every mount and its login. */
const adapterCalls: WrongCallsByName = Object.assign(
  {},
  ...adapters.map(({ mounts, logins }) => ({
    ...mapValues(mounts, (create) => mountCalls(/\((\w+)/.exec(String(create))?.[1] ?? '')),
    ...mapValues(logins, () => loginCalls),
  })),
)

function mapValues<Value>(
  values: Readonly<Record<string, Value>>,
  toCalls: (value: Value) => WrongCalls,
): WrongCallsByName {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toCalls(value)]))
}

export const httpCalls: WrongCallsByName = {
  createCredentialHandler: {
    'credentials must be the result of createCredentials': [
      ...[[], [null], [secret], [{ names: [], of: () => {} }]],
    ],
    'options must be an object': [
      [credentials],
      ...notOptions.map((value) => [credentials, value]),
    ],
    'options.authenticate must be a function, such as the result of bearerAuth': [
      [credentials, {}],
      [credentials, { authenticate: bearerAuth }],
    ],
    'options.vaultOf must be a function': [
      [credentials, { authenticate }],
      ...notFunctions.map((vaultOf) => [credentials, { authenticate, vaultOf }]),
    ],
    'options.onError must be a function': notFunctions.map((onError) => [
      credentials,
      { authenticate, vaultOf: authenticate, onError },
    ]),
    'options.basePath must be empty, or begin with a slash and end without one': [
      [credentials, { authenticate, vaultOf: authenticate, basePath: 7 }],
    ],
  },
  createSecretRelay: {
    'secretFetchFor must be a function': [[], [null, { authenticate }], [secret]],
    'secretFetchFor and options are swapped': [[{ authenticate }, authenticate]],
    'options must be an object': [
      [authenticate],
      ...notOptions.map((value) => [authenticate, value]),
    ],
    'options.fetch must be a function, such as the result of createPublicFetch': [
      [authenticate, { authenticate }],
      [authenticate, { authenticate, fetch: undefined }],
      [authenticate, { authenticate, fetch: createPublicFetch }],
      ...notFunctions.map((fetch) => [authenticate, { authenticate, fetch }]),
    ],
    'options.authenticate must be a function, such as the result of bearerAuth': [
      [authenticate, {}],
      [authenticate, { authenticate: bearerAuth }],
    ],
    'options.basePath must be empty, or begin with a slash and end without one': [
      [authenticate, { authenticate, fetch, basePath: 'relay' }],
    ],
    'options.allowHosts must be a list of hosts': [
      [authenticate, { authenticate, fetch, allowHosts: 'localhost' }],
    ],
    'options.allowHosts[0] must be the name or the address of a host, without a port': [
      [authenticate, { authenticate, fetch, allowHosts: ['localhost:80'] }],
      [authenticate, { authenticate, fetch, allowHosts: [7] }],
    ],
    'options.maxCalls must be a whole number of 1 or more': [
      [authenticate, { authenticate, fetch, maxCalls: '8' }],
    ],
    'options.maxBodyBytes must be a whole number of 0 or more': [
      [authenticate, { authenticate, fetch, maxBodyBytes: '1' }],
    ],
    'options.timeoutMs must be a number of 1 or more, or Infinity': [
      [authenticate, { authenticate, fetch, timeoutMs: '60' }],
    ],
    'options.onError must be a function': notFunctions.map((onError) => [
      authenticate,
      { authenticate, fetch, onError },
    ]),
  },
  createPublicFetch: {
    'options must be an object': notOptions.map((value) => [value]),
    'options.allowHosts must be a list of hosts': [[{ allowHosts: 'localhost' }]],
    'options.allowHosts[0] must be the name or the address of a host, without a port': [
      [{ allowHosts: ['https://localhost'] }],
    ],
    'options.ca must be a list of certificates': [[{ ca: secret }]],
    'options.ca[0] must be a string': [[{ ca: [7] }]],
  },
  createHttpHandler: {
    [wrongService]: [
      [],
      [null, {}],
      [secret, { authenticate }],
      [createVaultService, { authenticate }],
    ],
    'options must be an object': [[service], ...notOptions.map((value) => [service, value])],
    'options.authenticate must be a function, such as the result of bearerAuth': [
      [service, {}],
      [service, { authenticate: bearerAuth }],
      [service, { authenticate: fromExpress }],
      ...notFunctions.map((value) => [service, { authenticate: value }]),
    ],
    'options.probes must be an object': [[service, { authenticate, probes: false }]],
    'options.probes is undefined: leave it out if you do not need it': [
      [service, { authenticate, probes: undefined }],
    ],
    'options.probes.metrics is undefined: leave it out if you do not need it': [
      [service, { authenticate, probes: { metrics: undefined } }],
    ],
    'options.probes.health must be a boolean or a function': [
      [service, { authenticate, probes: { health: 'no' } }],
      [service, { authenticate, probes: { metrics: false, health: null } }],
    ],
    'options.onError must be a function': [[service, { authenticate, onError: secret }]],
    'options.onUploadProgress must be a function': [
      [service, { authenticate, onUploadProgress: true }],
    ],
    'options.basePath must be empty, or begin with a slash and end without one': [
      [service, { authenticate, basePath: ['/secrets'] }],
    ],
    'options.extensions must be a boolean': [[service, { authenticate, extensions: 'false' }]],
    'options.openApiDocument must be an object': [
      [service, { authenticate, openApiDocument: '{}' }],
    ],
  },
  bearerAuth: {
    'authenticator must be a function, such as the result of createTokenAuthenticator': [
      [],
      [createTokenAuthenticator],
      [createJwtAuthenticator],
      ...notFunctions.map((value) => [value]),
    ],
  },
  ...adapterCalls,
  createPage: {
    ...mountCalls('handler'),
    'options must be an object': notOptions.map((value) => [authenticate, value]),
    'options.basePath must be empty, or begin with a slash and end without one': [
      [authenticate, { basePath: ['/secrets'] }],
    ],
    'options.readOnly must be a boolean': [[authenticate, { readOnly: 'false' }]],
    'options.developer must be a boolean': [[authenticate, { developer: 1 }]],
    'options.signInUrl must be a URL of http or https, or a path': [
      [authenticate, { signInUrl: new URL('https://a.b') }],
    ],
    'options.title must be a string': [[authenticate, { title: 7 }]],
  },
  createTokenAuthenticator: {
    'options must be an object': [[], ...notOptions.map((value) => [value])],
    'options.tokens must be a list of tokens': [[{}], [{ tokens: secret }]],
    'options.tokens[0] must be an object': [[{ tokens: [secret] }], [{ tokens: [null] }]],
    'options.tokens[0].sha256 must be 64 hexadecimal digits: create one with npx cofferkit token': [
      [{ tokens: [{ id: 'a', sha256: secret, vaults: '*' }] }],
      [{ tokens: [{ id: 'a', sha256: [sha256], vaults: '*' }] }],
    ],
    'options.tokens[0].id must be a non-empty string or a whole number': [
      [{ tokens: [{ sha256, vaults: '*' }] }],
    ],
    'options.tokens[0].vaults must be * or an object with vault ids as keys': [
      [{ tokens: [{ id: 'a', sha256 }] }],
    ],
    'options is a list of tokens: pass { tokens }': [[[{ id: 'a', sha256, vaults: '*' }]]],
  },
  hashToken: {
    'token must be a non-empty string': [[], [''], ...notStrings.map((value) => [value])],
  },
  createJwtAuthenticator: {
    'options must be an object': [[], ...notOptions.map((value) => [value])],
    'options.isRevoked must be a function': notFunctions.map((isRevoked) => [
      { ...jwt, isRevoked },
    ]),
    'options.isRevoked is undefined: leave it out if you do not need it': [
      [{ ...jwt, isRevoked: undefined }],
    ],
    'options.now must be a function': [[{ ...jwt, now: new Date() }]],
    'options.now().getTime must be a function': [[{ ...jwt, now: Date.now }]],
    'options.scopes must be an object with claim, parse': [[{ ...jwt, scopes: secret }]],
    'options.scopes.parse must be a function': [[{ ...jwt, scopes: { claim: 'scope' } }]],
    'options.keys must be public JSON Web Keys, or the URL of a JWKS': [
      [{ ...jwt, keys: undefined }],
      [{ ...jwt, keys: secret }],
      [{ ...jwt, keys: [privateKey] }],
    ],
    'options.algorithms must be a list of algorithms': [[{ ...jwt, algorithms: 'ES256' }]],
    'options.algorithms must be a list of 1 or more algorithms': [[{ ...jwt, algorithms: [] }]],
    'options.algorithms[0] must be one of ES256, ES384, ES512, RS256, RS384, RS512, PS256, PS384, PS512, EdDSA, Ed25519':
      [[{ ...jwt, algorithms: [secret] }]],
    'options.scopes.claim must be a non-empty string': [
      [{ ...jwt, scopes: { claim: '', parse() {} } }],
    ],
    'options.requireExpiry must be a boolean': [[{ ...jwt, requireExpiry: 'false' }]],
  },
  issueToken: {
    'input must be an object': [[], ...notOptions.map((value) => [value])],
    'input.privateKey must be a private JSON Web Key, such as the privateKey of createSigningKey': [
      [{ ...token, privateKey: undefined }],
      [{ ...token, privateKey: secret }],
    ],
    'input.vaults must be permissions by vault id': [
      [{ ...token, vaults: undefined }],
      [{ ...token, vaults: '*' }],
    ],
    'input.now must be a function': [[{ ...token, now: 7 }]],
    'input.now().getTime must be a function': [[{ ...token, now: Date.now }]],
  },
}
