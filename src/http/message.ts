/** Requests and responses without a framework: the types that mounts convert from and to. */

/** A request, as a mount passes it to the handler. */
export interface HttpRequest {
  readonly method: string
  /**
   * The target as the client sent it, neither decoded nor normalized: a path with its query, or an
   * absolute URL.
   */
  readonly url: string
  /**
   * Returns the value of a header; undefined if the request does not have it. `name` can have any
   * case. Several headers of one name are joined by `, `.
   *
   * On Node, use `req.headersDistinct` or `req.rawHeaders`: `req.headers` keeps only the first of
   * two `Authorization` headers, and a request with two must be rejected.
   */
  header(name: string): string | undefined
  /**
   * Returns the names and values of all headers, with a pair for each header of a name that occurs
   * several times. Only a relay (`createSecretRelay`) needs it.
   */
  headers?(): Iterable<readonly [string, string]>
  /**
   * Returns a signal that is aborted when the client disconnects, and at the latest when the
   * response has ended. Without it, a relay notices only while it sends the response.
   */
  signal?(): AbortSignal
  /**
   * The address of the client, if the mount knows it: the other end of the connection, or the
   * address that a framework reads from trusted proxies.
   */
  readonly remoteAddress?: string | undefined
  /**
   * The framework's own request, or its context, which functions such as `fromExpress` pass on to
   * the embedder.
   */
  readonly source?: RequestSource | undefined
  /**
   * The result of a body parser; or the body itself, as chunks that are read as they arrive, or as
   * bytes if it has already arrived. Null if the request has no body.
   */
  readonly body: ParsedBody | AsyncIterable<Uint8Array> | Uint8Array | null
}

/** A body that a body parser has read. */
export interface ParsedBody {
  /** The result of the parser: a JSON value, or bytes. */
  readonly parsed: unknown
  /** The bytes of the body, if the parser or the platform has kept them. Used for uploads. */
  readonly bytes?: Uint8Array
}

/** The request as a framework passes it to a mount. */
export interface RequestSource {
  /** The name of the entry point of the mount, such as `express`. */
  readonly mount: string
  /** The arguments of the mount: the framework's request or context, and what comes with it. */
  readonly values: readonly unknown[]
}

/** A response, as the handler returns it to a mount. */
export interface HttpResponse {
  readonly status: number
  /**
   * The headers, by their lowercase names. `content-length` is set for the contents of files and
   * for responses to HEAD. For every other body, the mount or its server sets it.
   */
  readonly headers: Readonly<Record<string, string>>
  /**
   * The chunks of a download must be read to their end. Otherwise the mount calls `return` of their
   * iterator, which releases their source at once, even during a read.
   */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | null
}

/** A handler of requests. It returns a response to every request and never rejects. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse>
