/** What a client can do to a right token on the way that is answered with 401, before any store is asked. */

/** The lines and the target that are sent by who has a right token and spoils it. */
export interface RefusedHeaders {
  readonly name: string
  /** Header lines, given a right token. */
  readonly lines: (token: string) => readonly string[]
  /** What stands behind the path. */
  readonly query?: (token: string) => string
  /** What answers first, where it is not the vault: Node refuses such a request as a whole. */
  readonly status?: 400
}

const bearer = (token: string): string => `authorization: Bearer ${token}`
const inQuery = (name: string): RefusedHeaders => ({
  name: `a token in the query as ${name}`,
  lines: () => [],
  query: (token) => `?${name}=${token}`,
})

/** What is wrong around the token. */
export const refusedHeaders: readonly RefusedHeaders[] = [
  { name: 'no Authorization', lines: () => [] },
  { name: 'an empty Authorization', lines: () => ['authorization:'] },
  { name: 'Bearer alone', lines: () => ['authorization: Bearer'] },
  { name: 'the token alone', lines: (token) => [`authorization: ${token}`] },
  { name: 'Basic', lines: (token) => [`authorization: Basic ${btoa(`wendy:${token}`)}`] },
  { name: 'Token', lines: (token) => [`authorization: Token ${token}`] },
  { name: 'DPoP', lines: (token) => [`authorization: DPoP ${token}`] },
  { name: 'no space', lines: (token) => [`authorization: Bearer${token}`] },
  { name: 'a tab for the space', lines: (token) => [`authorization: Bearer\t${token}`] },
  { name: 'two tokens', lines: (token) => [`${bearer(token)} ${token}`] },
  { name: 'two tokens and a comma', lines: (token) => [`${bearer(token)}, Bearer ${token}`] },
  { name: 'two headers', lines: (token) => [bearer(token), bearer(token)] },
  { name: 'two headers, the first wrong', lines: (token) => [bearer('a'), bearer(token)] },
  { name: 'two headers, the last empty', lines: (token) => [bearer(token), 'authorization:'] },
  { name: 'quotes', lines: (token) => [`authorization: Bearer "${token}"`] },
  { name: 'a parameter', lines: (token) => [`authorization: Bearer token=${token}`] },
  { name: 'a letter of another alphabet', lines: (token) => [bearer(`${token}ä`)] },
  { name: 'a percent sign', lines: (token) => [bearer(`${token}%00`)] },
  {
    name: '8,193 bytes, a right token behind blanks',
    lines: (token) => [`authorization: Bearer${token.padStart(8187)}`],
  },
  { name: '8,193 bytes', lines: () => [bearer('a'.repeat(8186))] },
  { name: 'a NUL', status: 400, lines: (token) => [bearer(`${token}\u0000`)] },
  { name: 'a control character', status: 400, lines: (token) => [bearer(`${token}\u0001`)] },
  { name: 'an escape character', status: 400, lines: (token) => [bearer(`\u001b${token}`)] },
  { name: 'a tab in it', lines: (token) => [bearer(`${token}\ta`)] },
  { name: 'a cookie', lines: (token) => [`cookie: authorization=Bearer ${token}`] },
  { name: 'X-Authorization', lines: (token) => [`x-authorization: Bearer ${token}`] },
  { name: 'Proxy-Authorization', lines: (token) => [`proxy-authorization: Bearer ${token}`] },
  inQuery('access_token'),
  inQuery('token'),
  inQuery('authorization'),
]
