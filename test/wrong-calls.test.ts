import { join } from 'node:path'
import { createVaultService } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { describe, expect, it } from 'vitest'
import { entryPoints } from '../tools/scripts/entry-points.js'
import { databaseCalls } from './support/arguments/databases.js'
import { httpCalls } from './support/arguments/http.js'
import { importCalls } from './support/arguments/imports.js'
import { serviceCalls } from './support/arguments/service.js'
import { encryptedStore, sealer, storeCalls } from './support/arguments/stores.js'
import { unknownOptions } from './support/arguments/unknown-options.js'
import { secret, type WrongCallsByName } from './support/arguments/wrong-call.js'

const root = join(import.meta.dirname, '..')

/** Every wrong call: add the name of a function, the message and lists of arguments here. */
const wrongCalls: WrongCallsByName = {
  ...serviceCalls,
  ...httpCalls,
  ...importCalls,
  ...storeCalls,
  ...databaseCalls,
}

/** Public functions that no argument is wrong for: they have none, or accept every value. */
const withoutWrongCalls = [
  ...['createMemoryStore', 'createSigningKey', 'createToken', 'sqliteMigrations'],
  ...['isVaultError', 'parseSecretReference', 'parseSeed', 'redactError'],
]

type Callable = (...values: readonly unknown[]) => unknown

const functions: Map<string, Callable> = new Map(await listPublicFunctions())
for (const [path, object] of Object.entries({
  service: createVaultService({ store: createMemoryStore() }),
  encryptedStore,
  sealer,
}))
  for (const name of Object.getOwnPropertyNames(object))
    functions.set(`${path}.${name}`, Reflect.get(object, name))

describe('public functions', () => {
  it('are all in the table of wrong calls, or have none', () => {
    const names = [...functions.keys()].filter((name) => !name.includes('.'))
    const listed = Object.keys(wrongCalls).filter((name) => !name.includes('.'))
    expect([...listed, ...withoutWrongCalls].sort()).toEqual(names.sort())
  })
})

describe('public functions with options', () => {
  it('are all in the table of misspelt options', () => {
    const withOptions = [...functions].flatMap(([name, called]) => {
      const [parameters = ''] = /^[^{]*(?:\{\}[^{]*)*/.exec(String(called)) ?? []
      return /\b(?:options|\w+Options|tables|halves)\b/.test(parameters) ? [name] : []
    })
    // A call of the service rejects with an InvalidInputError: see rejectUnknownInCall.
    const missing = withOptions.filter(
      (name) => !name.startsWith('service.') && !Object.hasOwn(unknownOptions, name),
    )
    expect(withOptions).toContain('createVaultService')
    expect(missing).toEqual([])
  })

  it.each(
    Object.entries(unknownOptions).flatMap(([name, calls]) =>
      Object.entries(calls).map(([message, [values = []]]) => ({ name, message, values })),
    ),
  )('$name throws TypeError: $message', async ({ name, message, values }) => {
    expect(await errorOf(name, values)).toEqual({ name: 'TypeError', message })
  })

  it('ignore options that are undefined', async () => {
    const options = { store: createMemoryStore(), histroy: undefined }
    expect(await errorOf('createVaultService', [options])).toBeUndefined()
  })
})

describe.each(Object.entries(wrongCalls))('%s called wrongly', (name, calls) => {
  it.each(Object.entries(calls))('throws TypeError: %s', async (message, argumentLists) => {
    expect(message).not.toContain(secret)
    for (const values of argumentLists)
      expect(await errorOf(name, values)).toEqual({ name: 'TypeError', message })
  })
})

describe('public functions that are passed a promise', () => {
  const calls = Object.entries(wrongCalls).flatMap(([name, messages]) =>
    Object.entries(messages).flatMap(([message, [values = []]]) => {
      const [path] = /^[\w.[\]]+(?= must be )/.exec(message) ?? []
      return path === undefined ? [] : [{ name, path, values: withPromise(name, path, values) }]
    }),
  )

  it.each(calls)('$name says that $path is one', async ({ name, path, values }) => {
    const message = `${path} is a promise: is await missing?`
    expect(await errorOf(name, values)).toEqual({ name: 'TypeError', message })
  })
})

describe('public functions with an argument and options', () => {
  /** Both arguments are objects without required members. */
  const withTwoObjects = ['generatePassword', 'createTestVault']
  const calls = Object.entries(wrongCalls).flatMap(([name, messages]) => {
    if (withTwoObjects.includes(name)) return []
    const [first = '', second = ''] = parametersOf(name)
    const [values] = messages[`${second} must be an object`] ?? []
    const message = `${first} and ${second} are swapped`
    return values === undefined || values.length === 0 ? [] : [{ name, message, value: values[0] }]
  })

  it.each(calls)('$name says that $message', async ({ name, message, value }) => {
    expect(await errorOf(name, [{}, value])).toEqual({ name: 'TypeError', message })
  })

  it('are found', () => {
    expect(calls.map(({ name }) => name)).toContain('createEncryptedStore')
  })
})

/** Returns the names of the parameters of a function. */
function parametersOf(name: string): readonly (string | undefined)[] {
  const [parameters = ''] = /^[^{]*(?:\{\}[^{]*)*/.exec(String(functions.get(name))) ?? []
  return [...parameters.matchAll(/(\w+)(?: = [^,]*)?(?=[,)]|$)/g)].map(([, one]) => one)
}

/** Returns the arguments with a promise at a path, which begins with the name of a parameter. */
function withPromise(name: string, path: string, values: readonly unknown[]): readonly unknown[] {
  const [root = '', ...keys] = path.split(/[.[\]]+/).filter((key) => key !== '')
  // The methods of the encrypted store, which are wrapped, and the cases of a contract have one.
  const position = Math.max(0, parametersOf(name).indexOf(root))
  const promise = Promise.resolve(secret)
  const changed = keys.reduceRight<(value: unknown) => unknown>(
    (change, key) => (value) =>
      Array.isArray(value)
        ? value.map((element, index) => (String(index) === key ? change(element) : element))
        : { ...Object(value), [key]: change(Object(value)[key]) },
    () => promise,
  )(values[position])
  return Object.assign([...values], { [position]: changed })
}

/** Returns the error that a call throws, or that a call of an async function rejects with. */
async function errorOf(name: string, values: readonly unknown[]): Promise<unknown> {
  try {
    const called = functions.get(name)
    const result = called?.(...values)
    // Only an asynchronous function can reject. Methods of encrypted stores and sealers are wrapped.
    const isAsync = called?.constructor.name === 'AsyncFunction'
    if (isAsync || /^(?:encryptedStore|sealer)\./.test(name)) await result
    return undefined
  } catch (error) {
    return error instanceof TypeError ? { name: error.name, message: error.message } : error
  }
}

/** Returns the functions of all entry points, and the first case of each contract. */
async function listPublicFunctions(): Promise<(readonly [string, Callable])[]> {
  const modules = entryPoints().map(({ source }) => import(join(root, source)))
  const members = (await Promise.all(modules)).flatMap((module) => Object.entries(module))
  return members.flatMap(([name, member]) => {
    const [value] = Array.isArray(member) ? member.map(({ run }) => run) : [member]
    const isClass = /^class\b/.test(String(value))
    return typeof value === 'function' && !isClass ? [[name, value as Callable] as const] : []
  })
}
