import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openApiDocuments, openApiText } from '../../../tools/openapi/documents.js'
import { startProgram } from '../support/source/program.js'

const require = createRequire(import.meta.url)

/**
 * Returns the problems that redocly finds in a document; empty if there are none.
 */
async function lint(document: object): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'))
  try {
    const file = join(folder, 'openapi.json')
    writeFileSync(file, JSON.stringify(document))
    const redocly = require.resolve('@redocly/cli/bin/cli.js')
    const options = ['--config', 'test/integrations/redocly.yaml', '--format', 'json']
    const { code, stdout, stderr } = await startProgram(redocly, 'lint', file, ...options).ended
    const { problems } = JSON.parse(stdout) as { problems: readonly { message: string }[] }
    return code === 0 && problems.length === 0
      ? ''
      : [...problems.map(({ message }) => message), stderr].join('\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('openApiText with redocly lint', () => {
  it.each(Object.keys(openApiDocuments) as (keyof typeof openApiDocuments)[])(
    'has no problem in %s',
    async (name) => {
      expect(await lint(JSON.parse(openApiText(name)))).toBe('')
    },
  )

  it('has a problem when a schema is missing (negative control)', async () => {
    const document = JSON.parse(openApiText('openapi.json'))
    const { Item: _, ...schemas } = document.components.schemas
    const broken = { ...document, components: { ...document.components, schemas } }
    expect(await lint(broken)).toContain("Can't resolve $ref")
  })
})
