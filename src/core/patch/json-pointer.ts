/** JSON Pointers (RFC 6901). */

/** The reference tokens of a pointer, unescaped; undefined if the text is not a pointer. */
export function parsePointer(text: string): string[] | undefined {
  if (text === '') return []
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return undefined
  const tokens = text.slice(1).split('/')
  return text.includes('~') ? tokens.map(unescape) : tokens
}

/** The pointer of these tokens. */
export function formatPointer(tokens: readonly (string | number)[]): string {
  return tokens.map((token) => `/${escape(String(token))}`).join('')
}

/** The array index that a token stands for: digits without a leading zero, in the range of safe integers. */
export function parseIndex(token: string): number | undefined {
  if (!/^(?:0|[1-9]\d*)$/.test(token)) return undefined
  const index = Number(token)
  return Number.isSafeInteger(index) ? index : undefined
}

function escape(token: string): string {
  return /[~/]/.test(token) ? token.replaceAll('~', '~0').replaceAll('/', '~1') : token
}

function unescape(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~')
}
