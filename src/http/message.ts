/** Requests and responses independent of frameworks. Mounts convert to and from these types. */

/** A request, as a mount passes it to the handler. */
export interface HttpRequest {
  readonly method: string
  /**
   * The target exactly as the client sent it, neither decoded nor normalized: a path with its
   * query, or an absolute URL.
   */
  readonly url: string
  /**
   * Returns the value of a header, or undefined if the request does not have it. `name` can have
   * any case. Several headers of one name are joined by `, `. On Node, use `req.headersDistinct` or
   * `req.rawHeaders`, because `req.headers` keeps only the first of two `Authorization` headers,
   * and a request with two must be rejected.
   */
  header(name: string): string | undefined
  /**
   * Returns the names and values of all headers. A name that occurs several times has a pair for
   * each. Only a relay (`createSecretRelay`) needs this.
   */
  headers?(): Iterable<readonly [string, string]>
  /**
   * Returns a signal that aborts when the client disconnects, and at the latest when the response
   * has ended. If a mount does not have it, a relay notices a disconnect only while it sends the
   * response.
   */
  signal?(): AbortSignal
  /**
   * The client's address, if the mount knows it: the other end of the connection, or the address
   * that a framework reads from trusted proxies.
   */
  readonly remoteAddress?: string | undefined
  /**
   * The framework's own request or context. Functions such as `fromExpress` pass it on to the
   * embedder.
   */
  readonly source?: RequestSource | undefined
  /**
   * The body, as chunks that are read as they arrive, as bytes if it has already arrived, or as the
   * result of a body parser. Null if the request has no body.
   */
  readonly body: ParsedBody | AsyncIterable<Uint8Array> | Uint8Array | null
}

/** A body that a body parser has read. */
export interface ParsedBody {
  /** The result of the parser: a JSON value, or bytes. */
  readonly parsed: unknown
  /** The bytes of the body, if the parser or the platform keeps them. Uploads need them. */
  readonly bytes?: Uint8Array | undefined
}

/** The request as a framework passes it to a mount. */
export interface RequestSource {
  /** The name of the entry point of the mount, such as `express`. */
  readonly mount: string
  /**
   * The arguments that the framework passed to the mount: its request or context, and what comes
   * with it.
   */
  readonly values: readonly unknown[]
}

/** A response, as the handler returns it to a mount. */
export interface HttpResponse {
  readonly status: number
  /**
   * The headers, by lowercase name. `content-length` is set for the contents of files and for
   * responses to HEAD. For any other body, the mount or its server must set it.
   */
  readonly headers: Readonly<Record<string, string>>
  /**
   * The mount must read the chunks of a download to their end, or else call their iterator's
   * `return`. That releases their source at once, even during a read.
   */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | null
}

/** A handler of requests. It returns a response to every request and never rejects. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse>
