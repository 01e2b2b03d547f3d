/** The architecture rules that can be checked from the text of a source file. */

import ts from 'typescript'

const shared = [
  ...['assert-argument', 'base64', 'blob-content', 'concat-bytes', 'errors', 'open-calls'],
  ...['pacer', 'redact-error', 'safe-get', 'with-timeout'],
]

/** Imports from src that a folder or file of src can have, besides its own folder. */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  index: ['core', 'dialects/dialect', 'schema', 'error-codes', 'errors', 'store', 'redact-error'],
  'redact-error': ['safe-get'],
  'assert-argument': [],
  base64: [],
  'blob-content': ['store'],
  'concat-bytes': [],
  'error-codes': [],
  errors: ['error-codes', 'errors', 'safe-get'],
  'safe-get': [],
  store: [],
  'with-timeout': [],
  pacer: [],
  'open-calls': ['errors', 'pacer'],
  'walk-pages': ['store', 'errors', 'pacer'],
  schema: ['base64', 'error-codes', 'errors'],
  dialects: ['schema', 'errors', 'safe-get'],
  core: [
    ...shared,
    ...['schema', 'dialects/contract', 'dialects/dialect', 'store', 'error-codes', 'walk-pages'],
  ],
  filters: [
    ...['filters', 'schema', 'errors', 'pacer', 'core/filter/filter-language'],
    ...['core/filter/filter-reader', 'core/filter/word-search'],
  ],
  references: [
    ...[
      'assert-argument',
      'pacer',
      'core/access/caller',
      'core/filter/format-filter',
      'core/vault-service',
    ],
    ...['dialects/connect/totp', 'errors', 'schema'],
  ],
  activity: [
    ...[...shared, 'schema', 'store', 'core/access/caller', 'core/activity-log'],
    ...['core/call-target', 'core/records/list-records', 'core/records/stored-json'],
    ...['core/runtime/change', 'core/runtime/guard-store', 'core/runtime/random'],
  ],
  storage: [...shared, 'store', 'walk-pages'],
  auth: ['assert-argument', 'base64', 'core/access/caller', 'http/message', 'errors'],
  http: [
    ...[...shared, 'schema', 'error-codes'],
    ...['core/access/caller', 'core/create-vault-service', 'core/define-operation'],
    ...['core/operations', 'core/vault-service'],
  ],
  adapters: ['assert-argument', 'http/message', 'http/authenticate', 'http/from-mount'],
  multipart: ['http/read-upload', 'errors'],
  page: ['assert-argument', 'http/message', 'schema'],
  seed: ['base64', 'index', 'storage/memory'],
  command: [
    ...['activity', 'adapters/node', 'auth/tokens', 'base64', 'dialects/connect', 'http'],
    ...['import', 'index', 'page', 'references', 'seed', 'storage/encrypted', 'storage/etcd'],
    ...['storage/memory', 'storage/mysql', 'storage/postgres', 'storage/sqlite', 'walk-pages'],
  ],
  ssh: ['assert-argument', 'base64', 'concat-bytes', 'schema', 'errors'],
  import: [
    ...['assert-argument', 'base64', 'errors', 'schema', 'storage/memory'],
    ...['core/access/caller', 'core/call-options', 'core/create-vault-service'],
    ...['core/items/build-item', 'core/items/create-item', 'core/vault-service'],
  ],
  testing: [
    ...[
      'assert-argument',
      'blob-content',
      'index',
      'http',
      'auth/tokens',
      'seed',
      'storage/memory',
    ],
    ...['adapters/fetch', 'adapters/node'],
  ],
}

/** Further imports of the entry file of a folder, such as `http.ts` beside `http/`. */
const entryImports: Readonly<Record<string, readonly string[]>> = {
  http: ['auth/bearer'],
}

/** Modules that use only the platform that Node, Bun, Deno, workers and browsers share. */
const portable =
  /^(?:activity|assert-argument|base64|blob-content|concat-bytes|core|import|references|schema|dialects|filters|http|store|error-codes|errors|with-timeout|redact-error|safe-get|open-calls|pacer|page|walk-pages|auth|ssh|index$|adapters\/(?:fetch|hono|strip-prefix)$|storage\/(?:memory$|sql\/|libsql|s3|etcd|compose$|encrypted(?!\/providers\/key-file)))/

/** External packages and the modules that can import them. */
const packages: Readonly<Record<string, RegExp>> = {
  'zod/mini': /^(?:activity|schema|dialects|core|http\/openapi)\//,
  'fast-json-patch': /^core\/patch\/json-patch$/,
  jose: /^auth\/jwt/,
  busboy: /^multipart$/,
  'fflate/browser': /^import\/zip\//,
  'fast-check': /^testing\/arbitraries/,
  // Its interface of matchers is extended; nothing is imported from it.
  vitest: /^testing\/vitest$/,
  otpauth: /^dialects\/connect/,
  preact: /^page\/browser\//,
  'preact/hooks': /^page\/browser\//,
  '@stricli/core': /^command(?:$|\/)/,
  '@clack/prompts': /^command\//,
  'age-encryption': /^command\//,
  '@noble/ciphers/chacha.js': /^storage\/encrypted\/envelope\//,
}

const nodeGlobals =
  /\b(?:process|Buffer|require|__dirname|__filename|setImmediate|global)\b(?!['"-])/
const testRunners = /^(?:vitest|mocha|jest|chai|node:test|node:assert|@vitest|@jest|bun:test)/

/** The rules that the source text of `name` (such as `core/items/build-item`) breaks. */
export function violations(name: string, source: string): string[] {
  const found: string[] = []
  for (const { fileName: specifier } of ts.preProcessFile(source, true, true).importedFiles) {
    if (specifier.startsWith('.')) {
      const target = resolve(name, specifier)
      if (!specifier.endsWith('.js')) found.push(`imports ${specifier} without its ending`)
      if (!allowed(name, target)) found.push(`imports ${target}`)
      continue
    }
    if (testRunners.test(specifier) && !packages[specifier]?.test(name))
      found.push(`imports the test runner ${specifier}`)
    if (specifier.startsWith('node:')) {
      if (portable.test(name)) found.push(`imports ${specifier}`)
    } else if (!packages[specifier]?.test(name)) found.push(`imports the package ${specifier}`)
  }
  const code = source.replace(/\/\*.*?\*\/|(?<=^|\s)\/\/[^\n]*/gs, '')
  if (/[*}]\s*from 'fast-json-patch'/.test(code)) found.push('imports fast-json-patch by name')
  const statements = withoutStrings(code)
  const global = nodeGlobals.exec(statements)
  if (global !== null && portable.test(name)) found.push(`uses ${global[0]}`)
  const canWrite = /^command(?:$|\/)/.test(name)
  if (!canWrite && /\bconsole\b|\bprocess\.std(?:out|err)\b/.test(statements))
    found.push('writes to the console')
  if (source.trimEnd().split('\n').length > 250) found.push('has more than 250 lines')
  if (/(?:^|\/)(?:utils?|helpers?|common|types?|misc)$/.test(name))
    found.push('has a name that says nothing')
  if (!source.startsWith('/**')) found.push('does not begin with a comment')
  return found
}

function allowed(from: string, target: string): boolean {
  const folder = from.split('/')[0] ?? ''
  if (target.startsWith(`${folder}/`)) return true
  const rules = [
    ...(allowedImports[folder] ?? []),
    ...(folder === from ? (entryImports[from] ?? []) : (allowedImports[from] ?? [])),
  ]
  return rules.some(
    (rule) => target === rule || (!rule.includes('/') && target.startsWith(`${rule}/`)),
  )
}

function resolve(from: string, specifier: string): string {
  return new URL(specifier, `file:///${from}`).pathname.slice(1).replace(/\.js$/, '')
}

function withoutStrings(code: string): string {
  return code.replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''")
}
