/**
 * A page on which people view vaults and change items in a browser. It uses the HTTP API.
 * @module cofferkit/page
 */

import { flag, kindOf, readArgument, result, text } from './base/argument.js'
import { basePath } from './base/base-path.js'
import { defineOptions, type OptionKinds, optional } from './base/options.js'
import { metricsOf } from './http/metrics.js'
import { serveRoutes } from './http/serve-routes.js'
import type { HttpHandler, HttpResponse } from './http.js'
import { script, scriptHash, style, styleHash } from './page/generated.js'

/** Options of {@link createPage}. */
export interface PageOptions {
  /** The option `basePath` of the handler. Default: empty. */
  readonly basePath?: string | undefined
  /**
   * If true, the page shows no buttons and forms for changes. This is not a permission, because the
   * API still allows what its callers are permitted to do. Default: true.
   */
  readonly readOnly?: boolean | undefined
  /**
   * If true, the page shows the HTTP request of each change, a form for a JSON Patch, and the seeds
   * of one-time codes in the form of an item. Default: false.
   */
  readonly developer?: boolean | undefined
  /**
   * The address at which people sign in to your app: an `http:` or `https:` URL, or a path that
   * begins with one slash. The page links to it if there is no session. By default there is no
   * link.
   */
  readonly signInUrl?: string | undefined
  /** The name in the header and in the title of the window. Default: `Vaults`. */
  readonly title?: string | undefined
}

const pageOptions = defineOptions({
  basePath,
  readOnly: optional(flag(), true),
  developer: optional(flag(), false),
  signInUrl: optional(kindOf('a URL of http or https, or a path', isSignInUrl), ''),
  title: optional(text(), 'Vaults'),
} satisfies OptionKinds<PageOptions>)

function isSignInUrl(value: unknown): boolean {
  if (typeof value !== 'string') return false
  const isPath = /^(?:\/(?![/\\]).*)?$/.test(value)
  return isPath || (/^https?:\/\//i.test(value) && URL.canParse(value))
}

/**
 * Adds a page to a handler of the HTTP API. `GET /ui` below the prefix of the mount returns the
 * page, and every request for another path is passed to `handler`. The page contains no data. It reads and
 * changes everything through requests to `handler`, which authenticates them by the browser's
 * cookies, or by a bearer token that the user types. The page keeps the token only in memory.
 *
 * The page offers uploads, versions, states and vault changes only if `handler` was created with
 * the option `extensions`. To find out, it sends `OPTIONS /v1/vaults` to the handler before the
 * first page.
 *
 * `/metrics` of `handler` also count the requests for the page, but only if `handler` itself is the
 * result of `createHttpHandler`, not a function that calls it.
 *
 * @param handler The result of `createHttpHandler`.
 * @returns A handler for any mount. It rejects only if `handler` does.
 * @throws TypeError if
 * - `handler` is not a handler
 * - an option has the wrong type
 * - `basePath` is not empty, and does not begin with a slash or ends with one
 * - `signInUrl` is neither a URL nor a path
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { createTestVault } from 'cofferkit/testing'
 * import { createNodeListener } from 'cofferkit/node'
 * import { createPage } from 'cofferkit/page'
 *
 * const { handler, tokens } = await createTestVault({}, { extensions: true })
 * createServer(createNodeListener(createPage(handler))).listen(8080)
 * console.log(`http://localhost:8080/ui, with the token ${tokens.full}`)
 * ```
 */
export function createPage(handler: HttpHandler, options: PageOptions = {}): HttpHandler {
  readArgument(result('createHttpHandler'), { handler, options })
  const { basePath, readOnly, developer, title, signInUrl } = pageOptions.read(options)
  let pending: Promise<string> | undefined
  const createText = async (): Promise<string> => {
    const hasExtensions = await findExtensions(handler, basePath)
    return pageText({ title, readOnly, developer, signInUrl, hasExtensions })
  }
  return serveRoutes({
    basePath,
    metrics: metricsOf(handler),
    routes: [
      {
        ...{ label: 'page', method: 'GET', path: '/ui' },
        async respond({ requestId }) {
          pending ??= createText()
          return pageResponse(requestId, await pending)
        },
      },
    ],
    otherwise: handler,
  })
}

function pageResponse(requestId: string, body: string): HttpResponse {
  return { status: 200, headers: { ...headers, 'x-request-id': requestId }, body }
}

/** Only the page's own script and style run, and requests go only to the page's own origin. */
const headers: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `script-src '${scriptHash}'`,
    `style-src '${styleHash}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** The icon in the browser's tab: an SVG file, escaped for a `data:` URL. */
const icon =
  "%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E%3Crect x='2' y='5' width='20' height='15' rx='4' fill='%231c6553'/%3E%3Cpath d='M12 11v5' stroke='%23fff' stroke-width='4' stroke-linecap='round'/%3E%3C/svg%3E"

/**
 * Returns true if the API allows POST of vaults. No operation is called, nothing is logged, and the
 * request is not counted.
 */
async function findExtensions(handler: HttpHandler, basePath: string): Promise<boolean> {
  try {
    const url = `${basePath}/v1/vaults`
    const source = { mount: 'page', values: [] }
    const request = { method: 'OPTIONS', url, header: () => undefined, body: null, source }
    const response = await handler(request)
    return /\bPOST\b/.test(response.headers['allow'] ?? '')
  } catch {
    return false
  }
}

interface PageTextInput {
  readonly title: string
  readonly readOnly: boolean
  readonly developer: boolean
  readonly signInUrl: string
  readonly hasExtensions: boolean
}

function pageText(input: PageTextInput): string {
  const { readOnly, developer, hasExtensions } = input
  const [name, signInUrl] = [escapeHtml(input.title), escapeHtml(input.signInUrl)]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<link rel="icon" href="data:image/svg+xml,${icon}">
<style>${style}</style>
</head>
<body>
<div id="app" data-title="${name}" data-read-only="${readOnly}" data-extensions="${hasExtensions}" data-developer="${developer}" data-sign-in-url="${signInUrl}">
<noscript>This page needs JavaScript.</noscript>
</div>
<script>${script}</script>
</body>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
