import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openApiText } from '../../../tools/openapi/documents.js'
import { compileErrors } from '../support/source/compiler.js'
import { startProgram } from '../support/source/program.js'

const require = createRequire(import.meta.url)

/** Compares the outputs, which must be equal, and the inputs, which must be assignable. */
const program = `
import type * as ours from 'cofferkit'
import type { components, paths } from './generated.js'

type Theirs = components['schemas']
type Success<Operation extends { responses: { 200: { content: { 'application/json': unknown } } } }> =
  Operation['responses'][200]['content']['application/json']
type Same<Left, Right> = [Left, Right] extends [Right, Left] ? true : false

export const item: Same<ours.Item, Theirs['Item']> = true
export const summary: Same<ours.ItemSummary, Theirs['ItemSummary']> = true
export const version: Same<ours.ItemVersion, Theirs['ItemVersion']> = true
export const field: Same<ours.Field, Theirs['Field']> = true
export const file: Same<ours.FileDetails, Theirs['FileDetails']> = true
export const vault: Same<ours.Vault, Theirs['Vault']> = true
// Over HTTP an entry has another name for the client's address, and the members of extensions only
// with them; the codes of errors are not listed.
type Differing = 'operation' | 'code' | 'actor'
type Entry = Omit<ours.ActivityEntry, Differing>
export const entry: Same<Entry, Omit<Theirs['ActivityEntry'], Differing>> = true
export const error: Same<ours.ErrorBody, Theirs['ErrorBody']> = true
export const operation: Same<ours.PatchOperation, Theirs['PatchOperation']> = true

type Vaults = paths['/v1/vaults']
type Items = paths['/v1/vaults/{vaultId}/items']
type OneItem = paths['/v1/vaults/{vaultId}/items/{itemId}']

export async function use(service: ours.VaultService, caller: ours.Caller, sent: {
  draft: Items['post']['requestBody']['content']['application/json']
  place: OneItem['patch']['parameters']['path']
  patch: OneItem['patch']['requestBody']['content']['application/json']
  page: Items['get']['parameters']['query']
  vault: Vaults['post']['requestBody']['content']['application/json']
}): Promise<{
  vaults: Success<Vaults['get']>
  vault: Success<Vaults['post']>
  items: Success<Items['get']>
  created: Success<Items['post']>
  patched: Success<OneItem['patch']>
}> {
  const { vaultId } = sent.place
  return {
    vaults: await service.listVaults(caller),
    vault: await service.createVault(caller, sent.vault),
    items: await service.listItems(caller, { vaultId, ...sent.page }),
    created: await service.createItem(caller, { vaultId, item: sent.draft }),
    patched: await service.patchItem(caller, { ...sent.place, patch: sent.patch }),
  }
}
`

async function compileWith(change: (document: string) => string): Promise<readonly string[]> {
  const modules = new Map([
    ['generated.ts', await generatedFrom(change(openApiText('openapi-extensions.json')))],
    ['program.ts', program],
  ])
  return compileErrors(modules)
}

async function generatedFrom(document: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'))
  try {
    const file = join(folder, 'openapi.json')
    writeFileSync(file, document)
    const command = join(require.resolve('openapi-typescript'), '../../bin/cli.js')
    const { code, stdout, stderr } = await startProgram(command, file, '--immutable').ended
    if (code !== 0) throw new Error(stderr)
    return stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('openapi-extensions.json with openapi-typescript', () => {
  it('has the types of the library', async () => {
    expect(await compileWith((document) => document)).toEqual([])
  })

  it('has other types when the document differs (negative control)', async () => {
    const errors = await compileWith((document) =>
      document.replace(/"favorite": \{\s+"type": "boolean"/, '"favorite": { "type": "string"'),
    )
    expect(errors.join('\n')).toMatch(/program\.ts:10 .*'true' is not assignable to type 'false'/)
  })
})
