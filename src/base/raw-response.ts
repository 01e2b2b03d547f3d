/** Parses HTTP/1.1 responses that were read from a socket. */

/** The text of a response, as it was received. */
export interface RawResponse {
  /** 0 if the connection was closed without a response. */
  readonly status: number
  /** Status line, headers and body; the body still has its chunk framing. */
  readonly text: string
}

/** A response, split into its parts. */
export interface ParsedResponse {
  /** 0 if the connection was closed without a response. */
  readonly status: number
  readonly headers: Headers
  /** The body without chunk framing. */
  readonly body: string
}

/** Creates a raw response from the bytes received so far. */
export function toRawResponse(received: readonly Uint8Array[]): RawResponse {
  const text = decodeAll(received)
  return { status: Number(/^HTTP\/1\.\d (\d{3})/.exec(text)?.[1] ?? 0), text }
}

/** Returns whether the bytes received so far are a complete response. */
export function isCompleteResponse(received: readonly Uint8Array[]): boolean {
  const text = decodeAll(received)
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1]
  if (length !== undefined)
    return new TextEncoder().encode(text.slice(end + 4)).length >= Number(length)
  return text.endsWith('\r\n0\r\n\r\n') || /^HTTP\/1\.\d 204/.test(text)
}

/** Splits a response into its parts. */
export function parseRawResponse({ status, text }: RawResponse): ParsedResponse {
  const end = text.indexOf('\r\n\r\n')
  const headers = new Headers()
  for (const line of text.slice(0, Math.max(end, 0)).split('\r\n').slice(1)) {
    const colon = line.indexOf(':')
    headers.append(line.slice(0, colon), line.slice(colon + 1))
  }
  const rest = end < 0 ? '' : text.slice(end + 4)
  const isChunked = headers.get('transfer-encoding')?.toLowerCase() === 'chunked'
  return { status, headers, body: isChunked ? decodeChunks(rest) : rest }
}

/** The content of a chunked body. */
function decodeChunks(text: string): string {
  const bytes = new TextEncoder().encode(text)
  const decoder = new TextDecoder()
  let body = ''
  for (let offset = 0; ; ) {
    const end = bytes.indexOf(0x0a, offset)
    const length = Number.parseInt(decoder.decode(bytes.subarray(offset, end)), 16)
    if (!(end > 0 && length > 0)) return body
    body += decoder.decode(bytes.subarray(end + 1, end + 1 + length), { stream: true })
    offset = end + 1 + length + 2
  }
}

function decodeAll(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder()
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode()
}
