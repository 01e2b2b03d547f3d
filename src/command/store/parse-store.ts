/** Parses the option `--store`. */

import { isAbsolute } from 'node:path'
import { CommandError } from '../command-error.js'

/** The store that a command opens. */
export type StoreLocation =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite' | 'module' | 'config'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly schema?: string }
  | { readonly kind: 'mysql'; readonly url: string }
  | {
      readonly kind: 'etcd'
      readonly endpoints: readonly string[]
      readonly username?: string
      readonly password?: string
    }

/** The store of a command without `--store`, unless the environment names one. */
export const defaultStore = 'sqlite:cofferkit.db'

const forms =
  'Use memory, sqlite:PATH, postgres://…, mysql://…, etcd:http://HOST:2379 or ./my-store.js.'

/**
 * Parses the option `--store`. URLs may contain a password, so errors do not repeat the value.
 * @throws CommandError if the value has none of the forms.
 */
export function parseStore(text: string): StoreLocation {
  if (text === 'memory') return { kind: 'memory' }
  const [, scheme = '', rest = ''] = /^(sqlite|postgres(?:ql)?|mysql|etcd):(.*)$/s.exec(text) ?? []
  if (scheme === 'sqlite' && rest !== '') return { kind: 'sqlite', path: rest }
  if (scheme === 'etcd') return parseEtcd(rest)
  if (scheme !== '') {
    const kind = scheme === 'mysql' ? 'mysql' : 'postgres'
    // Both `postgres:postgres://…` and `postgres://…`.
    const url = rest.startsWith('//') ? text : rest
    const protocols = kind === 'mysql' ? /^mysql:\/\// : /^postgres(?:ql)?:\/\//
    if (!protocols.test(url) || !URL.canParse(url))
      throw new CommandError(`--store: not a valid URL of ${kind}`, forms)
    return kind === 'mysql' ? { kind, url } : parsePostgres(url)
  }
  if (/\.[cm]?[jt]s$/.test(text) && (/^\.{1,2}[/\\]/.test(text) || isAbsolute(text)))
    return { kind: 'module', path: text }
  // Never repeats anything that may be a URL with a password.
  const isFile = /^[\w./\\ -]+\.(?:db3?|sqlite3?)$/i.test(text)
  throw new CommandError(
    `--store: unknown store${isFile ? `, did you mean sqlite:${text}?` : ''}`,
    forms,
  )
}

/**
 * Takes the parameter `schema` out of the URL, because the driver and PostgreSQL's programs do not
 * know it.
 */
function parsePostgres(text: string): StoreLocation {
  const url = new URL(text)
  const schema = url.searchParams.get('schema')
  if (schema === null) return { kind: 'postgres', url: text }
  url.searchParams.delete('schema')
  return { kind: 'postgres', url: url.href, schema: parseSchema(schema) }
}

/** Parses the option `--schema`. @throws CommandError if it is not the name of a schema. */
export function parseSchema(text: string): string {
  if (/^[a-z_]\w{0,62}$/i.test(text)) return text
  throw new CommandError(
    'the schema must be 1 to 63 letters, digits and underscores, and must not begin with a digit',
  )
}

/** Returns the store as it is printed, without credentials and parameters. */
export function describeStore(location: StoreLocation): string {
  switch (location.kind) {
    case 'memory':
      return 'memory, which is lost when the process ends'
    case 'sqlite':
      return `SQLite file ${location.path}`
    case 'module':
      return `module ${location.path}`
    case 'config':
      return `the store of ${location.path}`
    case 'etcd':
      return `etcd ${location.endpoints.join(', ')}`
    default: {
      const { host, pathname } = new URL(location.url)
      if (location.kind === 'mysql') return `MySQL ${host}${pathname}`
      const { schema } = location
      return `PostgreSQL ${host}${pathname}${schema === undefined ? '' : `, schema ${schema}`}`
    }
  }
}

/** Parses origins, separated by commas. The first one can contain a user name and a password. */
function parseEtcd(text: string): StoreLocation {
  const origins = text.split(',').map((part) => {
    const url = URL.canParse(part) ? new URL(part) : undefined
    if (url === undefined || !/^https?:$/.test(url.protocol))
      throw new CommandError('--store: not a valid origin of etcd', forms)
    return url
  })
  const [{ username = '', password = '' } = {}] = origins
  return {
    kind: 'etcd',
    endpoints: origins.map(({ origin }) => origin),
    ...(username !== '' && {
      username: decodeURIComponent(username),
      password: decodeURIComponent(password),
    }),
  }
}
