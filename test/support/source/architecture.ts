/** The architecture rules that can be checked from the text of a source file. */

import ts from 'typescript'
import { entryPoints } from '../../../tools/scripts/entry-points.js'

const ground = ['base', 'errors', 'store']

/** Imports from src that a folder or file of src can have, besides its own folder. */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  base: ['errors', 'store'],
  errors: ['base/argument', 'base/options', 'base/safe-get'],
  store: ['errors'],
  schema: [
    ...['base/base64', 'base/calendar', 'base/href', 'base/safe-get', 'base/suggest-name'],
    ...['base/argument', 'base/fixed-errors', 'errors'],
  ],
  dialects: [
    ...['base/argument', 'base/is-object', 'base/options', 'base/safe-get'],
    ...['base/one-time-code', 'schema', 'errors'],
  ],
  core: [...ground, 'schema', 'dialects/contract', 'dialects/dialect'],
  index: [
    ...['base/closable', 'base/compose-store', 'base/redact-error'],
    ...['core', 'dialects/dialect', 'schema', 'errors', 'store'],
  ],
  references: [
    ...['base', 'errors', 'schema', 'core/access/caller', 'core/operation/call-options'],
    ...['core/filter/quote-filter-value', 'core/records/stored-json', 'core/vault-service'],
    ...['core/assert-service', 'dialects/connect/totp'],
    'oauth/token-keeper',
  ],
  oauth: [
    ...['base', 'errors', 'store', 'schema', 'core/access/caller'],
    ...['core/runtime/encryption-check', 'core/runtime/guard-store', 'core/vault-service'],
    ...['core/runtime/report-unreadable', 'core/assert-service'],
    ...['core/connections/refresh-grant', 'core/connections/save-item'],
    ...['core/connections/take-token', 'core/items/use-field'],
  ],
  credentials: [
    ...['base', 'errors', 'schema', 'http', 'core/access/caller', 'core/vault-service'],
    ...['core/operation/call-options', 'core/items/describe-item'],
    ...['core/operation/define-operation', 'core/assert-service', 'core/records/item-record'],
    ...['core/connections/describe-credential', 'core/connections/save-credential'],
    ...['core/connections/save-item', 'core/connections/verify-credential'],
    ...['core/runtime/report-unreadable', 'references/secret-reference'],
  ],
  activity: [
    ...[
      ...ground,
      'schema',
      'core/access/caller',
      'core/runtime/activity-log',
      'core/operation/call-target',
    ],
    ...['core/records/list-records', 'core/records/stored-json', 'core/runtime/change'],
    ...['core/runtime/guard-store', 'core/runtime/random', 'core/runtime/report-unreadable'],
  ],
  storage: ground,
  auth: ['base', 'errors', 'core/access/caller', 'http/authenticate', 'http/message'],
  http: [
    ...['base', 'errors', 'schema', 'core/access/caller', 'core/assert-service'],
    ...['core/operation/define-operation', 'core/operations', 'core/vault-service'],
  ],
  adapters: [
    'base/argument',
    'base/blob-content',
    'base/pacer',
    'http/message',
    'http/authenticate',
    'http/from-mount',
  ],
  'adapters/node/public-fetch': ['base/options', 'base/public-host', 'errors'],
  rules: [
    ...['base', 'errors', 'schema', 'core/access/caller', 'core/operation/reject-unknown'],
    ...['core/items/describe-item', 'core/items/draws', 'core/items/generate-password'],
    ...['core/items/item-changes', 'core/patch/apply-patch', 'core/records/change-item'],
    ...['core/records/item-rule', 'core/runtime/item-context', 'core/runtime/limits'],
    ...['core/runtime/random', 'dialects/dialect'],
  ],
  seal: [
    ...[...ground, 'storage/encrypted/envelope/cipher', 'storage/encrypted/envelope/encoding'],
    ...['storage/encrypted/envelope/record-envelope', 'storage/encrypted/keys/check-keys'],
    ...['storage/encrypted/keys/key-cache', 'storage/encrypted/keys/key-ring'],
    ...['storage/encrypted/keys/key-store', 'storage/encrypted/keys/ring-store'],
    ...['storage/encrypted/keys/rotate', 'storage/encrypted/list-scopes'],
    'storage/encrypted/providers/key-provider',
  ],
  use: [
    ...['base', 'errors', 'schema', 'core/access/caller', 'core/assert-service'],
    ...['core/connections/take-token', 'core/vault-service', 'http', 'references'],
  ],
  testing: [
    ...['base', 'index', 'http', 'auth/tokens', 'oauth', 'storage/memory'],
    ...['adapters/fetch', 'adapters/node', 'core/runtime/context', 'http/create-http-handler'],
    'http/responses',
  ],
}

/**
 * The rim imports what a package of somebody else could: the public entry points. Besides them only
 * the small parts of `base`.
 */
const rim = /^(?:command|page|import|testing\/hostile)(?=\/|$)/
const publicModules = new Set(
  entryPoints().map(({ source }) => source.replace(/^src\/|\.ts$/g, '')),
)

/** Further imports of the entry file of a folder, such as `http.ts` beside `http/`. */
const entryImports: Readonly<Record<string, readonly string[]>> = {
  http: ['auth/bearer'],
  page: ['http/metrics', 'http/serve-routes'],
}

/** Modules that use only the platform that Node, Bun, Deno, workers and browsers share. */
const portable =
  /^(?:activity|auth|base(?!\/raw-request$)|core|credentials|dialects|errors|http|import|oauth|page|references|rules|schema|seal|store|use|index$|adapters\/(?:fetch|hono|strip-prefix)$|storage\/(?:memory$|chunks$|sql\/|libsql|s3|etcd|encrypted(?!\/providers\/key-file)))/

/**
 * External packages and the modules that can import them. The CommonJS format contains a copy of
 * `jose` and of `@noble/ciphers` in each module that imports them, so one module does.
 */
const packages: Readonly<Record<string, RegExp>> = {
  'zod/mini': /^schema\/zod$/,
  'fast-json-patch': /^core\/patch\/json-patch$/,
  jose: /^auth\/jwt\/jose$/,
  'fflate/browser': /^import\/zip\//,
  otpauth: /^dialects\/connect/,
  preact: /^page\/browser\//,
  'preact/hooks': /^page\/browser\//,
  '@stricli/core': /^command(?:$|\/)/,
  '@clack/prompts': /^command\//,
  'age-encryption': /^command\//,
  '@noble/ciphers/chacha.js': /^storage\/encrypted\/envelope\/cipher$/,
}

/**
 * Code that reads or writes the records of a store itself, and so knows how they are stored. Of the
 * commands, only `copy` and `doctor` do, which are about every record, whatever it is.
 */
const usesRecords = /\brecords\??\.(?:get|put|delete|list)\b|\bcollections?\b/

/** The statements of databases, which only the stores know. */
const sql = /\bselect\s[^'"]*\sfrom\s|\binsert\sinto\s|\bdelete\sfrom\s|['"`](?:pragma\s|vacuum\b)/i

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
    if (testRunners.test(specifier)) found.push(`imports the test runner ${specifier}`)
    if (specifier.startsWith('node:')) {
      if (portable.test(name)) found.push(`imports ${specifier}`)
    } else if (!packages[specifier]?.test(name)) found.push(`imports the package ${specifier}`)
  }
  const code = source.replace(/\/\*.*?\*\/|(?<=^|\s)\/\/[^\n]*/gs, '')
  if (!name.startsWith('storage/') && sql.test(code)) found.push('contains SQL')
  if (/[*}]\s*from 'fast-json-patch'/.test(code)) found.push('imports fast-json-patch by name')
  const statements = withoutStrings(code)
  const global = nodeGlobals.exec(statements)
  if (global !== null && portable.test(name)) found.push(`uses ${global[0]}`)
  if (/^command\/(?!copy\/|doctor\/)/.test(name) && usesRecords.test(statements))
    found.push('reads or writes stored records')
  const canWrite =
    /^(?:command$|command\/|(?:http\/report-error|core\/runtime\/report-error)$)/.test(name)
  if (!canWrite && /\bconsole\b|\bprocess\.std(?:out|err)\b/.test(statements))
    found.push('writes to the console')
  const definitions = code.split('defineOptions(').length - 1
  if (name !== 'base/options' && definitions > code.split('satisfies OptionKinds<').length - 1)
    found.push('defines options without their interface')
  if (/(?:^|\/)(?:utils?|helpers?|common|types?|misc)$/.test(name))
    found.push('has a name that says nothing')
  // Published types would contain it.
  if (/@internal\b/.test(source)) found.push('marks a member as internal')
  if (!/^(?:#!.*\n\n?)?\/\*\*/.test(source)) found.push('does not begin with a comment')
  return found
}

function allowed(from: string, target: string): boolean {
  const room = rim.exec(from)?.[0]
  const isOfEntry = (entryImports[from] ?? []).includes(target)
  if (room !== undefined)
    return (
      isOfEntry ||
      /^base\//.test(target) ||
      publicModules.has(target) ||
      target.startsWith(`${room}/`)
    )
  const folder = from.split('/')[0] ?? ''
  if (target.startsWith(`${folder}/`)) return true
  const ofFile = folder === from ? [] : (allowedImports[from] ?? [])
  const rules = [...(allowedImports[folder] ?? []), ...ofFile]
  return (
    isOfEntry ||
    rules.some((rule) => target === rule || (!rule.includes('/') && target.startsWith(`${rule}/`)))
  )
}

function resolve(from: string, specifier: string): string {
  return new URL(specifier, `file:///${from}`).pathname.slice(1).replace(/\.js$/, '')
}

function withoutStrings(code: string): string {
  return code.replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''")
}
