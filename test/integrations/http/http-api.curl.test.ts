import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { routes } from '../../../src/http/routes.js'
import { pageAgent, toRepeatable } from '../../../tools/scripts/http-api/example-request.js'
import { startExampleServer, uploadedFile } from '../../../tools/scripts/http-api/example-server.js'
import { httpReferencePage } from '../../../tools/scripts/http-api.js'
import { findBlocks } from '../../support/source/pages.js'
import { hasCurl } from '../support/source/shell.js'

const page = await httpReferencePage()

/** A command of the page, and the response below it. */
interface Example {
  readonly command: string
  readonly status: number
  /** The headers that the page shows, with their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
}

const pattern =
  /^```sh\n(curl [\s\S]*?)\n```\n\nResponse: (\d{3})(?:, (.*))?\n(?:\n```(?:json|text)\n([\s\S]*?)\n```\n)?/gm

const examples: readonly Example[] = [...page.matchAll(pattern)].map(
  ([, command = '', status, headers = '', body = '']) => ({
    command,
    status: Number(status),
    headers: Object.fromEntries(
      [...headers.matchAll(/`([\w-]+): ([^`]*)`/g)].map(([, name = '', value]) => [
        name.toLowerCase(),
        value,
      ]),
    ),
    body,
  }),
)

/** Runs a command in a shell, and parses what `curl --include` prints. */
async function run(command: string, options: { cwd: string; env: NodeJS.ProcessEnv }) {
  const { stdout } = await promisify(execFile)('sh', ['-c', command], options)
  const text = toRepeatable(stdout.replace(/curl\/\d[\d.]*/g, pageAgent))
  const [head = '', ...rest] = text.split('\r\n\r\n')
  if (!head.startsWith('HTTP/')) return { body: text }
  const [first = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line) => {
    const [name = '', ...value] = line.split(': ')
    return [name.toLowerCase(), value.join(': ')] as const
  })
  return {
    status: Number(first.split(' ')[1]),
    headers: Object.fromEntries(headers),
    body: rest.join('\r\n\r\n'),
  }
}

/** The value of a text in JSON; any other text without its last line break. */
function valueOf(text: string): unknown {
  return /^[[{]/.test(text) ? JSON.parse(text) : text.trimEnd()
}

describe.skipIf(!hasCurl())('httpReferencePage', () => {
  it('has an example and an error of each route', () => {
    for (const { operation, id = operation } of routes) {
      const [, section = ''] = page.split(`\n## ${id}\n`)
      const [own = ''] = section.split('\n## ')
      const statuses = [...own.matchAll(pattern)].map(([, , status]) => Number(status))
      expect([operation, statuses[0]]).toEqual([operation, expect.toSatisfy((n) => n < 300)])
      expect([operation, statuses.some((status) => status >= 400)]).toEqual([operation, true])
    }
    expect(examples).toHaveLength(page.match(/^curl /gm)?.length ?? 0)
  })

  it('has commands that get the responses below them, in the order of the page', async () => {
    const server = await startExampleServer()
    const folder = mkdtempSync(join(tmpdir(), 'cofferkit-curl-'))
    try {
      const { port } = new URL(server.origin)
      const settings = ['silent', 'include', 'noproxy = "*"']
      writeFileSync(
        join(folder, '.curlrc'),
        [...settings, `connect-to = "localhost:8080:127.0.0.1:${port}"`, ''].join('\n'),
      )
      writeFileSync(join(folder, uploadedFile.name), uploadedFile.content)
      const { full: TOKEN, reader: READER_TOKEN } = server.tokens
      const env = { ...process.env, CURL_HOME: folder, HOME: folder, TOKEN, READER_TOKEN }
      for (const { command, status, headers, body } of examples) {
        const response = await run(command, { cwd: folder, env })
        const found = { command, body: valueOf(response.body) }
        expect(found).toEqual({ command, body: valueOf(body) })
        // A command with a pipe prints only lines of the body.
        if (!command.includes('| ')) expect(response).toMatchObject({ status, headers })
      }
    } finally {
      await server.close()
      rmSync(folder, { recursive: true })
    }
  })
})

describe.skipIf(!hasCurl())('docs/http-api.md', () => {
  it('has commands that create a login', async () => {
    const server = await startExampleServer()
    try {
      const command = findBlocks('docs/http-api.md').filter(({ kind }) => kind === 'sh')[1]?.text
      const env = {
        ...process.env,
        OP_CONNECT_HOST: server.origin,
        OP_CONNECT_TOKEN: server.tokens.full,
      }
      const { body } = await run(command ?? '', { cwd: tmpdir(), env })
      expect(JSON.parse(body)).toMatchObject({ category: 'LOGIN', title: 'Wi-Fi', version: 1 })
    } finally {
      await server.close()
    }
  })
})
