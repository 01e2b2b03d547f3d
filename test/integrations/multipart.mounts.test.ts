import { createRequire } from 'node:module'
import { multipartUploads } from 'cofferkit/multipart'
import express, { type RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { createExpressHandler } from '../../src/adapters/express.js'
import { type FrameworkUnderTest, mounts } from '../support/http/mounts.js'
import { type Mount, withServer } from '../support/http/serve.js'
import { createUploadVault, type UploadVault, upload } from '../support/http/uploads.js'

/** It has no types of its own. */
const multer: () => { any(): RequestHandler } = createRequire(import.meta.url)('multer')

const content = new Uint8Array(3_000_000).map((_, index) => (index * index) % 251)

function formOf(bytes: Uint8Array<ArrayBuffer>): FormData {
  const form = new FormData()
  form.append('file', new Blob([bytes]), 'a.bin')
  return form
}

function createVault(): Promise<UploadVault> {
  return createUploadVault({ multipart: multipartUploads() })
}

function post(vault: UploadVault, origin: string, query = ''): Promise<Response> {
  return fetch(origin + vault.url(query), {
    method: 'POST',
    headers: { authorization: vault.authorization },
    body: formOf(content),
  })
}

async function expectUploads(mount: FrameworkUnderTest, parser: boolean): Promise<void> {
  const vault = await createVault()
  await withServer(await mount.serve(vault.handler, { parser }), async (origin) => {
    const response = await post(vault, origin)
    const file = Object(await response.json())
    expect([response.status, file.name, file.size]).toEqual([200, 'a.bin', content.length])
    expect(Buffer.compare(await vault.contentOf(file), content)).toBe(0)
    for (let round = 0; round < 3; round++)
      expect((await post(vault, origin, 'section_id=none')).status).toBe(400)
  })
}

describe('multipartUploads', () => {
  it.each(mounts)('stores the file of a form when it is mounted in $name', (mount) =>
    expectUploads(mount, false),
  )

  it.each(mounts)('stores the file of a form behind a parser of JSON in $name', (mount) =>
    expectUploads(mount, true),
  )

  const behind =
    (parser: RequestHandler): Mount =>
    (handler) =>
      express().use(parser, createExpressHandler(handler))

  it('stores the file of a form behind a parser of bytes', async () => {
    const vault = await createVault()
    const mounting = behind(express.raw({ type: () => true }))
    const { status, file } = await upload(vault, formOf(new Uint8Array([1, 2])), {
      query: '',
      mounting,
    })
    expect([status, file.name]).toEqual([200, 'a.bin'])
    expect(await vault.contentOf(file)).toEqual(new Uint8Array([1, 2]))
  })

  it('responds with 415 behind a parser of forms', async () => {
    const vault = await createVault()
    const mounting = behind(multer().any())
    const { status, file } = await upload(vault, formOf(new Uint8Array(2)), { mounting })
    expect([status, file.message]).toEqual([
      415,
      expect.stringContaining('mount the vault before the parser'),
    ])
    await vault.expectNothingStored()
  })
})
