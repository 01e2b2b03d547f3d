import { createCaller } from 'cofferkit'
import { createCredentialHandler, createCredentials } from 'cofferkit/credentials'
import { createFetchHandler } from 'cofferkit/fetch'
import { createTokenKeeper, newGrant, vaultGrants } from 'cofferkit/oauth'
import {
  createReferenceResolver,
  formatSecretReference,
  parseSecretReference,
} from 'cofferkit/references'
import { createTestVault } from 'cofferkit/testing'
import {
  createRedactor,
  createSecretFetch,
  createSecretRelay,
  isRefusal,
  vaultSecrets,
} from 'cofferkit/use'
import { ask, type Guesses, notSet } from './guess.js'

const { service, caller, vaultId, item, store } = await createTestVault()
const credentials = createCredentials(service, {
  stripe: { fields: { key: {}, team: { secret: false, optional: true } } },
})
const acme = credentials.of(caller, vaultId)
await acme.save('stripe', { key: 'sk_live_0123456789' })
const reference = await acme.reference('stripe', 'key')
const source = vaultSecrets(service, caller)
const url = 'https://api.stripe.com/v1'
const headers = { authorization: `Bearer {{ ${reference} }}` }
const fakeFetch = async () => new Response('ok')
const refresh = async () => ({ accessToken: 'new' })
const grants = vaultGrants(service, caller)
const grantRef = await grants.save(vaultId, { name: 'google', accessToken: 'a', refreshToken: 'r' })
const keeper = createTokenKeeper({ grants, leases: store.records, refresh })
const resolver = createReferenceResolver(service, caller)
const ref = { vaultId, itemId: item.id }

const kept: Guesses = {
  'a store for a service': {
    compiles: false,
    // @ts-expect-error
    call: () => createCredentials(store, { stripe: { fields: { key: {} } } }),
    clear:
      'TypeError: service must be the result of createVaultService itself: to observe or refuse calls, use its option around',
  },
  'no kinds': {
    compiles: false,
    // @ts-expect-error
    call: () => createCredentials(service),
    clear: 'TypeError: kinds must be an object with kinds by their names',
  },
  'a list of kinds': {
    compiles: false,
    // @ts-expect-error
    call: () => createCredentials(service, [{ fields: { key: {} } }]),
    clear: 'TypeError: kinds must be an object with kinds by their names',
  },
  'a list of fields': {
    compiles: false,
    // @ts-expect-error
    call: () => createCredentials(service, { stripe: { fields: ['key'] } }),
    clear: 'TypeError: kinds.stripe.fields must be an object with fields by their ids',
  },
  'a field with a type': {
    compiles: false,
    // @ts-expect-error
    call: () => createCredentials(service, { stripe: { fields: { key: { type: 'password' } } } }),
    clear: 'TypeError: kinds.stripe.fields.key.type is unknown',
  },
  'a required field': {
    compiles: false,
    // @ts-expect-error
    call: () => createCredentials(service, { stripe: { fields: { key: { required: true } } } }),
    clear: 'TypeError: kinds.stripe.fields.key.required is unknown',
  },
  'origins without a scheme': {
    compiles: true,
    call: () =>
      createCredentials(service, { stripe: { fields: { key: {} }, origins: ['api.stripe.com'] } }),
    clear:
      'TypeError: kinds.stripe.origins must be a list of origins, such as https://api.example.com, or a function',
  },
  'an origin with a path': {
    compiles: true,
    call: () => createCredentials(service, { stripe: { fields: { key: {} }, origins: [url] } }),
    clear:
      'TypeError: kinds.stripe.origins must be a list of origins, such as https://api.example.com, or a function',
  },
  'one origin for a list': {
    compiles: false,
    call: () =>
      createCredentials(service, {
        // @ts-expect-error
        stripe: { fields: { key: {} }, origins: 'https://api.stripe.com' },
      }),
    clear:
      'TypeError: kinds.stripe.origins must be a list of origins, such as https://api.example.com, or a function',
  },
  'a verify that returns nothing': {
    compiles: false,
    call: () =>
      // @ts-expect-error
      createCredentials(service, { stripe: { fields: { key: {} }, verify: async () => {} } })
        .of(caller, vaultId)
        .save('stripe', { key: 'sk_1' }),
    clear: 'RuleError: verify of stripe did not return true or false',
  },
  'a verify that returns a response': {
    compiles: false,
    call: () =>
      createCredentials(service, {
        // @ts-expect-error
        stripe: { fields: { key: {} }, verify: async () => new Response('') },
      })
        .of(caller, vaultId)
        .save('stripe', { key: 'sk_1' }),
    clear: 'RuleError: verify of stripe did not return true or false',
  },
  'a verify with a field that does not exist': {
    compiles: false,
    call: () =>
      createCredentials(service, {
        // @ts-expect-error
        stripe: { fields: { key: {} }, verify: async ({ apiKey }) => apiKey.startsWith('sk_') },
      })
        .of(caller, vaultId)
        .save('stripe', { key: 'sk_1' }),
    meant: {
      page: 'docs/credentials.md',
      says: 'It stores the values, with the status `unverified`.',
    },
  },
  'a timeout in seconds': {
    compiles: true,
    call: () =>
      createCredentials(service, { stripe: { fields: { key: {} } } }, { verifyTimeoutMs: 10 }),
    clear:
      'RangeError: options.verifyTimeoutMs must be a number of 100 milliseconds or more, or Infinity',
  },
  'the caller without the vault': {
    compiles: false,
    // @ts-expect-error
    call: () => credentials.of(caller).describe('stripe'),
    clear: 'InvalidInputError: vaultId must be an id: 26 characters of a-z and 0-9',
  },
  'the vault without the caller': {
    compiles: false,
    // @ts-expect-error
    call: () => credentials.of(vaultId).list(),
    clear: 'UnauthorizedError: the caller must be the result of createCaller',
  },
  'a vault and a caller that are swapped': {
    compiles: false,
    // @ts-expect-error
    call: () => credentials.of(vaultId, caller).describe('stripe'),
    clear: 'UnauthorizedError: the caller must be the result of createCaller',
  },
  'a value without an object': {
    compiles: false,
    // @ts-expect-error
    call: () => acme.save('stripe', 'sk_live_1'),
    clear: 'InvalidInputError: the values must be an object',
  },
  'a field that does not exist': {
    compiles: false,
    // @ts-expect-error
    call: () => acme.save('stripe', { apiKey: 'sk_live_1' }),
    clear: 'InvalidInputError: unknown value: this credential has only key, team',
  },
  'a value that is undefined': {
    compiles: true,
    call: () => acme.save('stripe', { key: notSet }),
    meant: {
      page: 'docs/credentials.md',
      says: 'Leave a value out, or send an empty secret, to keep what is stored.',
    },
  },
  'a new value that is undefined': {
    compiles: true,
    call: () => acme.save('stripe', { key: notSet }, { account: 'test' }),
    clear: 'InvalidInputError: key is required',
  },
  'an empty value': {
    compiles: true,
    call: () => acme.save('stripe', { key: '' }),
    meant: {
      page: 'docs/credentials.md',
      says: 'An empty value of a secret keeps the stored one.',
    },
  },
  'a kind that does not exist': {
    compiles: false,
    // @ts-expect-error
    call: () => acme.save('strip', { key: 'sk_live_1' }),
    clear: 'TypeError: name must be one of stripe',
  },
  'an account without an object': {
    compiles: false,
    // @ts-expect-error
    call: () => acme.describe('stripe', 'live'),
    clear: "TypeError: account must be an object, such as { account: 'live' }",
  },
  'a value that is a number': {
    compiles: false,
    // @ts-expect-error
    call: () => acme.save('stripe', { key: 7 }),
    clear: 'InvalidInputError: key must be a string or null',
  },
  'a field of the reference left out': {
    compiles: false,
    // @ts-expect-error
    call: () => acme.reference('stripe'),
    clear: 'TypeError: field must be one of key, team',
  },
  'a credential that is not saved': {
    compiles: true,
    call: () => acme.describe('stripe', { account: 'live' }),
    clear: 'NotFoundError: credential stripe not found',
  },
  'a handler without vaultOf': {
    compiles: false,
    // @ts-expect-error
    call: () => createCredentialHandler(credentials, { authenticate: () => caller }),
    clear: 'TypeError: options.vaultOf must be a function',
  },
  'a handler of one vault': {
    compiles: false,
    call: () =>
      // @ts-expect-error
      createCredentialHandler(acme, { authenticate: () => caller, vaultOf: () => vaultId }),
    clear: 'TypeError: credentials must be the result of createCredentials',
  },
}

const uses: Guesses = {
  'a service for secrets': {
    compiles: false,
    // @ts-expect-error
    call: () => createSecretFetch(service),
    clear:
      'TypeError: secrets is a service: write createSecretFetch(vaultSecrets(service, caller), options)',
  },
  'a caller without secrets': {
    compiles: false,
    // @ts-expect-error
    call: () => createSecretFetch(service, caller),
    clear:
      'TypeError: secrets is a service: write createSecretFetch(vaultSecrets(service, caller), options)',
  },
  'the function vaultSecrets': {
    compiles: false,
    // @ts-expect-error
    call: () => createSecretFetch(vaultSecrets),
    clear: 'TypeError: secrets must be a function, such as the result of vaultSecrets',
  },
  'a service without a caller': {
    compiles: false,
    // @ts-expect-error
    call: () => vaultSecrets(service),
    clear: 'TypeError: caller must be an object with can',
  },
  'a caller and a service that are swapped': {
    compiles: false,
    // @ts-expect-error
    call: () => vaultSecrets(caller, service),
    clear: 'TypeError: service and caller are swapped',
  },
  'a token keeper without its option': {
    compiles: false,
    // @ts-expect-error
    call: () => vaultSecrets(service, caller, keeper),
    clear: 'TypeError: options.accessToken is unknown',
  },
  'hosts in a list': {
    compiles: false,
    // @ts-expect-error
    call: () => createSecretFetch(source, { allow: ['api.stripe.com'] }),
    clear: 'TypeError: options.allow must be a function',
  },
  'the response of fetch': {
    compiles: false,
    // @ts-expect-error
    call: () => createSecretFetch(source, { fetch: fakeFetch() }),
    clear: 'TypeError: options.fetch is a promise: is await missing?',
  },
  'an option of another library': {
    compiles: false,
    // @ts-expect-error
    call: () => createSecretFetch(source, { timeout: 1000 }),
    clear: 'TypeError: options.timeout is unknown',
  },
  'a reference without braces': {
    compiles: true,
    call: () =>
      createSecretFetch(source, { fetch: fakeFetch, refusal: 'throw' })(url, {
        headers: { authorization: `Bearer ${reference}` },
      }),
    clear:
      'SecretUseError: the request has no reference in a header or another enabled place: https://api.stripe.com',
  },
  'a reference in one brace': {
    compiles: true,
    call: () =>
      createSecretFetch(source, { fetch: fakeFetch, refusal: 'throw' })(url, {
        headers: { authorization: `Bearer { ${reference} }` },
      }),
    clear:
      'SecretUseError: the request has no reference in a header or another enabled place: https://api.stripe.com',
  },
  'the name of a variable in braces': {
    compiles: true,
    call: () =>
      createSecretFetch(source, { fetch: fakeFetch, refusal: 'throw' })(url, {
        headers: { authorization: 'Bearer {{ STRIPE_KEY }}' },
      }),
    clear:
      'SecretUseError: the request has no reference in a header or another enabled place: https://api.stripe.com',
  },
  'a URL over http': {
    compiles: true,
    call: () =>
      createSecretFetch(source, { fetch: fakeFetch, refusal: 'throw' })('http://api.stripe.com', {
        headers,
      }),
    clear: 'SecretUseError: a secret is only sent by https: http://api.stripe.com',
  },
  'an item without URLs': {
    compiles: true,
    call: () => createSecretFetch(source, { fetch: fakeFetch, refusal: 'throw' })(url, { headers }),
    clear:
      'SecretUseError: the item has no URL of this origin: op://8qqajlmzc5ndch3qeacjas76vs/ch7q727an7ak7d6kxnnmcqzlvf/key in header:authorization, for https://api.stripe.com',
  },
  'a caller without use': {
    compiles: true,
    call: () =>
      createSecretFetch(
        vaultSecrets(service, createCaller({ id: 'agent', vaults: { [vaultId]: 'write' } })),
        { fetch: fakeFetch, refusal: 'throw' },
      )(url, { headers }),
    clear: 'ForbiddenError: vault 8qqajlmzc5ndch3qeacjas76vs is not in scope for using',
  },
  'an allow that returns nothing': {
    compiles: false,
    call: () =>
      // @ts-expect-error
      createSecretFetch(source, { fetch: fakeFetch, refusal: 'throw', allow: () => {} })(url, {
        headers,
      }),
    vague:
      'SecretUseError: the use of the secret is not allowed: op://8qqajlmzc5ndch3qeacjas76vs/ch7q727an7ak7d6kxnnmcqzlvf/key in header:authorization, for https://api.stripe.com',
  },
  'a relay without fetch': {
    compiles: false,
    // @ts-expect-error
    call: () => createSecretRelay(async (_, fetch) => fetch, { authenticate: () => caller }),
    clear: 'TypeError: options.fetch must be a function, such as the result of createPublicFetch',
  },
  'a secret fetch for a function': {
    compiles: false,
    call: () =>
      ask((options) =>
        createFetchHandler(
          // @ts-expect-error
          createSecretRelay(createSecretFetch(source), {
            ...{ ...options, authenticate: () => caller, fetch: fakeFetch },
          }),
        )(new Request('https://app.example.com/relay/https/api.stripe.com/v1')),
      ),
    vague: 'RuleError: secretFetchFor failed',
  },
  'a relay with a URL of a host': {
    compiles: true,
    call: () =>
      createSecretRelay((_, fetch) => createSecretFetch(source, { fetch }), {
        authenticate: () => caller,
        fetch: fakeFetch,
        allowHosts: ['https://api.stripe.com'],
      }),
    clear:
      'TypeError: options.allowHosts[0] must be the name or the address of a host, without a port',
  },
  'one value for a list': {
    compiles: true,
    call: () => createRedactor('secret'),
    clear: 'TypeError: values must be an iterable of strings',
  },
  'an empty value to redact': {
    compiles: true,
    call: () => createRedactor(['']),
    meant: { page: 'docs/masking.md', says: 'Values of fewer than 8 characters are not masked' },
  },
  'a value to redact that is undefined': {
    compiles: true,
    call: () => createRedactor([notSet]),
    clear: 'TypeError: values must be an iterable of strings',
  },
  'a response that is not awaited': {
    compiles: true,
    call: () => isRefusal(fakeFetch()),
    clear: 'TypeError: value is a promise: is await missing?',
  },
}

const oauth: Guesses = {
  'a caller before the service': {
    compiles: false,
    // @ts-expect-error
    call: () => vaultGrants(caller, service),
    clear: 'TypeError: service and caller are swapped',
  },
  'grants without a caller': {
    compiles: false,
    // @ts-expect-error
    call: () => vaultGrants(service),
    clear: 'TypeError: caller must be an object with id, can',
  },
  'the answer of a provider': {
    compiles: false,
    call: () =>
      grants.save(vaultId, {
        name: 'google',
        // @ts-expect-error
        access_token: 'a',
        refresh_token: 'r',
        expires_in: 3600,
      }),
    clear: 'TypeError: grant.access_token is unknown, did you mean accessToken?',
  },
  'a time for seconds': {
    compiles: true,
    call: () =>
      newGrant({ accessToken: 'a', refreshToken: 'r', expiresInSeconds: Date.now() + 3_600_000 }),
    clear:
      'RangeError: tokens.expiresInSeconds must be a number from 0 to 2,147,483,647 seconds, or Infinity',
  },
  'seconds as text': {
    compiles: false,
    // @ts-expect-error
    call: () => newGrant({ accessToken: 'a', refreshToken: 'r', expiresInSeconds: '3600' }),
    clear:
      'TypeError: tokens.expiresInSeconds must be a number from 0 to 2,147,483,647 seconds, or Infinity',
  },
  'the time in milliseconds': {
    compiles: false,
    // @ts-expect-error
    call: () => newGrant({ accessToken: 'a', refreshToken: 'r' }, Date.now()),
    clear: 'TypeError: now must be a valid Date',
  },
  'a token that is undefined': {
    compiles: true,
    call: () => newGrant({ accessToken: notSet, refreshToken: 'r' }),
    clear: 'TypeError: tokens.accessToken must be a non-empty string',
  },
  'a store for leases': {
    compiles: false,
    // @ts-expect-error
    call: () => createTokenKeeper({ grants, leases: store, refresh }),
    clear: 'TypeError: options.leases.get must be a function',
  },
  'no leases': {
    compiles: false,
    // @ts-expect-error
    call: () => createTokenKeeper({ grants, refresh }),
    clear: 'TypeError: options.leases must be an object with get, put, delete, list',
  },
  'a margin in seconds': {
    compiles: true,
    call: () => createTokenKeeper({ grants, leases: store.records, refresh, marginMs: 60 }),
    clear: 'RangeError: options.marginMs must be 0, or 1,000 milliseconds or more',
  },
  'a lease in seconds': {
    compiles: true,
    call: () => createTokenKeeper({ grants, leases: store.records, refresh, leaseMs: 30 }),
    clear: 'RangeError: options.leaseMs must be a number from 100 to 600,000',
  },
  'a refresh that returns the answer of a provider': {
    compiles: false,
    call: () =>
      createTokenKeeper({
        grants,
        leases: store.records,
        // @ts-expect-error
        refresh: async () => ({ access_token: 'b', expires_in: 3600 }),
      }).accessToken(grantRef, caller, { rejected: 'a' }),
    clear: 'RuleError: refresh must resolve with an object with accessToken, or with false',
  },
  'a grant by its name': {
    compiles: false,
    // @ts-expect-error
    call: () => keeper.accessToken('google', caller),
    clear: 'TypeError: ref must be an object with vaultId, itemId',
  },
  'no caller of a token': {
    compiles: false,
    // @ts-expect-error
    call: () => keeper.accessToken(grantRef),
    clear: 'UnauthorizedError: the caller must be the result of createCaller',
  },
  'a rejected token without an object': {
    compiles: false,
    // @ts-expect-error
    call: () => keeper.accessToken(grantRef, caller, 'a'),
    clear: 'TypeError: options must be an object',
  },
  'a revoke without a function': {
    compiles: false,
    // @ts-expect-error
    call: () => keeper.revoke(grantRef),
    clear: 'TypeError: revoke must be a function',
  },
}

const references: Guesses = {
  'a caller before the service': {
    compiles: false,
    // @ts-expect-error
    call: () => createReferenceResolver(caller, service),
    clear: 'TypeError: service and caller are swapped',
  },
  'a reference without its scheme': {
    compiles: true,
    call: () => resolver.resolve('Home/Router/password'),
    clear: 'InvalidInputError: reference must have the form op://vault/item/[section/]field',
  },
  'a reference without a field': {
    compiles: true,
    call: () => resolver.resolve('op://Home/Router'),
    clear: 'InvalidInputError: reference must have the form op://vault/item/[section/]field',
  },
  'a reference that is undefined': {
    compiles: true,
    call: () => resolver.resolve(notSet),
    clear: 'InvalidInputError: reference must be a string',
  },
  'a list for a reference': {
    compiles: false,
    // @ts-expect-error
    call: () => resolver.resolve([reference]),
    clear: 'InvalidInputError: reference must be a string',
  },
  'one reference for a list': {
    compiles: false,
    // @ts-expect-error
    call: () => resolver.resolveAll(reference),
    clear: 'InvalidInputError: references must be an array',
  },
  'a template of an object': {
    compiles: false,
    // @ts-expect-error
    call: () => resolver.inject({ password: reference }),
    clear: 'InvalidInputError: template must be a string',
  },
  'a vault that is not there': {
    compiles: true,
    call: () => resolver.resolve('op://Hom/Router/password'),
    clear: 'NotFoundError: op://Hom/Router/password: vault not found',
  },
  'ids in a reference': {
    compiles: false,
    // @ts-expect-error
    call: () => formatSecretReference({ ...ref, field: 'password' }),
    clear:
      'InvalidInputError: vault must be 1 or more letters, digits, spaces and the characters -, _ and .: use the id of anything with another name; item must be 1 or more letters, digits, spaces and the characters -, _ and .: use the id of anything with another name',
  },
  'a part that is undefined': {
    compiles: true,
    call: () => formatSecretReference({ vault: notSet, item: 'Router', field: 'key' }),
    clear:
      'InvalidInputError: vault must be 1 or more letters, digits, spaces and the characters -, _ and .: use the id of anything with another name',
  },
  'a reference that is no text': {
    compiles: false,
    // @ts-expect-error
    call: () => parseSecretReference(7),
    clear: 'InvalidInputError: reference must be a string',
  },
  'a list for the environment': {
    compiles: false,
    // @ts-expect-error
    call: () => resolver.resolveEnv([reference]),
    clear: 'InvalidInputError: env must be an object',
  },
}

/** The guesses of this file, by group. */
export const secretsGuesses = { kept, uses, oauth, references }
