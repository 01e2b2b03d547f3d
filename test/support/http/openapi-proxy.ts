/** Puts prism, a proxy that compares what it sees with an OpenAPI document, between a client and mounts. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProgram } from '../source/program.js'
import { listening } from './serve.js'

const require = createRequire(import.meta.url)

/** A proxy that listens. */
export interface OpenApiProxy {
  readonly origin: string
  /** Has `listener` answer what comes through the proxy from now on. */
  mount(listener: RequestListener): void
}

/**
 * Runs `work` while the proxy listens. With `errors` it answers in the mount's place as soon as a request or an answer is
 * not as the document says; without, it says so in the header `sl-violations`.
 */
export async function proxying(
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
    await listening(upstream, async (target) => {
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

/** The same document, in which what the service answers has no attributes but those that are described. */
export function closed(document: OpenApiText): unknown {
  const drafts = ['ItemDraft', 'FieldDraft', 'Recipe', 'PatchOperation']
  const { schemas } = document.components
  const answers = Object.entries(schemas).filter(([name]) => !drafts.includes(name))
  return {
    ...document,
    components: {
      ...document.components,
      schemas: {
        ...schemas,
        ...Object.fromEntries(answers.map(([name, each]) => [name, closedSchema(each)])),
      },
    },
  }
}

/** What of a document is looked at here. */
export interface OpenApiText {
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

function closedSchema(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (_key, part: unknown) =>
    typeof part === 'object' && part !== null && 'properties' in part && 'type' in part
      ? { ...part, additionalProperties: false }
      : part,
  )
}
