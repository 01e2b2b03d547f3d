/** Runs prism, a proxy that validates requests and responses against an OpenAPI document. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withServer } from '../../../support/http/serve.js'
import { startProgram } from '../source/program.js'

const require = createRequire(import.meta.url)

/** A running proxy. */
export interface OpenApiProxy {
  readonly origin: string
  /** Sends the following requests to `listener`. */
  mount(listener: RequestListener): void
}

/**
 * Runs `work` while the proxy is running.
 * @param errors Whether the proxy itself responds to an invalid request or response. Otherwise it
 * adds the header `sl-violations`.
 */
export async function withProxy(
  document: unknown,
  { errors }: { readonly errors: boolean },
  work: (proxy: OpenApiProxy) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'))
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  let mounted: RequestListener = (_req, res) => res.writeHead(500).end()
  const upstream = createServer((req, res) => mounted(req, res))
  try {
    await withServer(upstream, async (target) => {
      const prism = require.resolve('@stoplight/prism-cli')
      const options = ['--host', '127.0.0.1', '--port', '0', '--cors', 'false']
      const strict = errors ? ['--errors'] : []
      const program = startProgram(prism, 'proxy', file, target, ...options, ...strict)
      try {
        const printed = await program.printed('Prism is listening on http')
        const origin = /listening on (http:\S+:\d+)/.exec(printed)?.[1] ?? ''
        await work({
          origin,
          mount: (listener) => {
            mounted = listener
          },
        })
      } finally {
        program.kill()
        await program.ended
      }
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * Returns the document with closed schemas for responses: no attributes except the described ones.
 */
export function closeSchemas(document: OpenApiText): unknown {
  const drafts = ['ItemDraft', 'FieldDraft', 'Recipe', 'PatchOperation']
  const { schemas } = document.components
  const responses = Object.entries(schemas).filter(([name]) => !drafts.includes(name))
  return {
    ...document,
    components: {
      ...document.components,
      schemas: {
        ...schemas,
        ...Object.fromEntries(responses.map(([name, each]) => [name, closeSchema(each)])),
      },
    },
  }
}

/** The part of a document that is used here. */
export interface OpenApiText {
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

function closeSchema(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (_key, part: unknown) =>
    typeof part === 'object' && part !== null && 'properties' in part && 'type' in part
      ? { ...part, additionalProperties: false }
      : part,
  )
}
