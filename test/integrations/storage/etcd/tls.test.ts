import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EtcdServer, startEtcd } from '../../../../tools/reliability/support/etcd-server.js'
import { findBlocks } from '../../../support/source/pages.js'
import { hasEtcd, skippedSuffix } from '../../../support/stores/etcd.js'
import { type Certificate, createCertificates } from '../../support/certificates.js'
import { type Ended, runText } from '../../support/source/program.js'

const certificates = createCertificates()
afterAll(() => certificates.remove())

/** The code block of the page that contains the text. */
const blockWith = (text: string): string =>
  findBlocks('docs/other-databases.md').find((block) => block.text.includes(text))?.text ?? ''

/** Runs a program that creates a `store`, in a process that trusts this authority, and uses it. */
const useStore = (program: string, trusted?: string): Promise<Ended> =>
  runText(
    `${program}
    const key = { collection: 'c', id: crypto.randomUUID() }
    try {
      console.log(await store.records.put(key, { body: new Uint8Array([7]) }, 0))
      console.log((await store.records.get(key))?.body)
    } catch (error) {
      console.log(error.code, error.message, error.cause)
    }`,
    trusted === undefined ? {} : { NODE_EXTRA_CA_CERTS: join(certificates.folder, trusted) },
  )

const stored = { code: 0, stdout: 'true\nUint8Array(1) [ 7 ]\n', stderr: '' }

describe.runIf(hasEtcd)(`createEtcdStore with TLS${skippedSuffix}`, () => {
  let authority: Certificate
  let flags: readonly string[]
  beforeAll(() => {
    authority = certificates.create('ca', 'ca-key')
    const other = certificates.create('other-ca', 'other-ca-key')
    certificates.create('client', 'key', authority)
    certificates.create('stranger', 'stranger-key', other)
    const { cert, key } = certificates.create('member', 'member-key', authority)
    flags = ['--cert-file', cert, '--key-file', key]
  })

  describe('on a server with a certificate', () => {
    let server: EtcdServer
    beforeAll(async () => {
      server = await startEtcd(flags, 'https')
    })
    afterAll(() => server.stop())

    const programFor = (endpoint: string): string => `
      import { createEtcdStore } from 'cofferkit/etcd'
      const store = createEtcdStore({ endpoints: ['${endpoint}'] })`

    it('accepts it when Node trusts its authority by NODE_EXTRA_CA_CERTS', async () => {
      expect(await useStore(programFor(server.endpoint), 'ca.pem')).toEqual(stored)
    })

    it.each([
      ['another authority', 'other-ca.pem'],
      ['no further authority', undefined],
    ])('rejects with 503 when Node trusts %s', async (_, trusted) => {
      const { stdout } = await useStore(programFor(server.endpoint), trusted)
      expect(stdout).toContain('STORAGE_UNAVAILABLE the certificate of etcd is not trusted')
    })

    it('rejects with 503 when it is that of another host', async () => {
      const endpoint = server.endpoint.replace('127.0.0.1', 'localhost')
      const { stdout } = await useStore(programFor(endpoint), 'ca.pem')
      expect(stdout).toContain('STORAGE_UNAVAILABLE the certificate of etcd is not trusted')
    })
  })

  describe('on a server that requires certificates of clients', () => {
    let server: EtcdServer
    beforeAll(async () => {
      server = await startEtcd(
        [...flags, '--client-cert-auth', '--trusted-ca-file', authority.cert],
        'https',
      )
    })
    afterAll(() => server.stop())

    /** The program of the page, with these paths and this endpoint. */
    const program = (): string =>
      blockWith('undici')
        .replace('/etc/vault', certificates.folder)
        .replace('https://etcd-1:2379', server.endpoint)

    it('sends the certificate as docs/other-databases.md shows', async () => {
      expect(await useStore(program())).toEqual(stored)
    })

    it.each([
      ['none', "cert: read('client'), key: read('key')", ''],
      [
        'one of another authority',
        "cert: read('client'), key: read('key')",
        "cert: read('stranger'), key: read('stranger-key')",
      ],
    ])('rejects with 503 when the client sends %s', async (_, members, changed) => {
      const { stdout } = await useStore(program().replace(members, changed))
      expect(stdout).toContain('STORAGE_UNAVAILABLE etcd cannot be reached')
    })
  })
})
