/** Architecture rules that can be checked on the text of a source file. */

import ts from 'typescript'

/** The files and folders of src that each file or folder of src can import. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  index: [
    'core',
    'dialects/dialect',
    'schema',
    'error-statuses',
    'errors',
    'store',
    'without-secrets',
  ],
  'without-secrets': ['errors'],
  'error-statuses': [],
  errors: ['error-statuses'],
  store: [],
  within: [],
  pacer: [],
  'walk-pages': ['store', 'errors', 'pacer'],
  schema: ['error-statuses', 'errors'],
  dialects: ['schema', 'errors'],
  core: [
    'schema',
    'dialects/contract',
    'dialects/dialect',
    'store',
    'errors',
    'within',
    'without-secrets',
    'pacer',
    'walk-pages',
  ],
  storage: ['store', 'errors', 'within', 'without-secrets', 'pacer', 'walk-pages'],
  auth: ['core/caller', 'http/message', 'errors'],
  'http/index': ['auth/bearer'],
  http: [
    'core/service',
    'core/vault-service',
    'core/caller',
    'schema',
    'error-statuses',
    'errors',
    'pacer',
    'within',
    'without-secrets',
  ],
  adapters: ['http/message'],
  testing: ['index', 'http/index', 'auth/tokens', 'storage/memory'],
}

/** Files that can only use what Node, Bun, Deno, workers and browsers have in common. */
const everywhere =
  /^(?:core|schema|dialects|http|store|error-statuses|errors|within|without-secrets|pacer|walk-pages|auth|index$|adapters\/(?:fetch|hono|prefix)$|storage\/(?:memory$|encrypted|envelope|key-(?!file)))/

/** The packages, and the files that can import them. */
const packages: Readonly<Record<string, RegExp>> = {
  'zod/mini': /^(?:schema|dialects|core)\//,
  'fast-json-patch': /^core\/patch-document$/,
  jose: /^auth\/jwt/,
  otpauth: /^dialects\/connect/,
  '@noble/ciphers/chacha.js': /^storage\/envelope/,
}

const nodeGlobals =
  /\b(?:process|Buffer|require|__dirname|__filename|setImmediate|global)\b(?!['"-])/
const testRunners = /^(?:vitest|mocha|jest|chai|node:test|node:assert|@vitest|@jest|bun:test)/

/** Returns the rules that the source text of a file such as `core/build-item` breaks. */
export function violations(name: string, source: string): string[] {
  const found: string[] = []
  for (const { fileName: specifier } of ts.preProcessFile(source, true, true).importedFiles) {
    if (specifier.startsWith('.')) {
      const target = resolve(name, specifier)
      if (!specifier.endsWith('.js')) found.push(`imports ${specifier} without its extension`)
      if (!allowed(name, target)) found.push(`imports ${target}`)
      continue
    }
    if (testRunners.test(specifier)) found.push(`imports the test runner ${specifier}`)
    if (specifier.startsWith('node:')) {
      if (everywhere.test(name)) found.push(`imports ${specifier}`)
    } else if (!packages[specifier]?.test(name)) found.push(`imports the package ${specifier}`)
  }
  const code = source.replace(/\/\*.*?\*\/|(?<=^|\s)\/\/[^\n]*/gs, '')
  if (/[*}]\s*from 'fast-json-patch'/.test(code)) found.push('imports fast-json-patch by name')
  const words = withoutTexts(code)
  const global = nodeGlobals.exec(words)
  if (global !== null && everywhere.test(name)) found.push(`uses ${global[0]}`)
  if (/\bconsole\b|\bprocess\.std(?:out|err)\b/.test(words)) found.push('writes to the console')
  if (source.trimEnd().split('\n').length > 250) found.push('has more than 250 lines')
  if (/(?:^|\/)(?:utils?|helpers?|common|types?|misc)$/.test(name))
    found.push('has a meaningless name')
  if (!source.startsWith('/**')) found.push('does not begin with a comment')
  return found
}

function allowed(from: string, target: string): boolean {
  const folder = from.split('/')[0] ?? ''
  if (folder !== from && target.startsWith(`${folder}/`)) return true
  const rules = [...(mayImport[from] ?? []), ...(mayImport[folder] ?? [])]
  return rules.some(
    (rule) => target === rule || (!rule.includes('/') && target.startsWith(`${rule}/`)),
  )
}

function resolve(from: string, specifier: string): string {
  return new URL(specifier, `file:///${from}`).pathname.slice(1).replace(/\.js$/, '')
}

function withoutTexts(code: string): string {
  return code.replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''")
}
