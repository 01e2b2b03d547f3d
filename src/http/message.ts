/** A request and a response without any framework: what mounts translate to and from. */

/** What a mount hands in. */
export interface HttpRequest {
  readonly method: string
  /** The target as it stands in the request: a path with its query, or an absolute URL. Not decoded, not normalised. */
  readonly url: string
  /**
   * The value of a header, whatever the case of `name`; several of one name joined by `, `; undefined if there is none.
   * On Node use `req.headersDistinct` or `req.rawHeaders`: `req.headers` keeps only the first of two `Authorization`
   * headers, and a request with two must be refused.
   */
  header(name: string): string | undefined
  /** The address of the client, where the mount knows it: of the other end, or what a framework says behind proxies. */
  readonly remoteAddress?: string | undefined
  /** What a body parser has already read, or the bytes as they come, or null if the request has no body. */
  readonly body: { readonly parsed: unknown } | AsyncIterable<Uint8Array> | null
}

/** What a mount sends. */
export interface HttpResponse {
  readonly status: number
  /** Names are in lower case. `content-length` is there for streams, and where there is no body to count. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null
}

/** Answers every request and never rejects. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse>
