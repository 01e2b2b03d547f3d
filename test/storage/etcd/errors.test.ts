import { describe, expect, it } from 'vitest'
import { toSendFailure } from '../../../src/storage/etcd/errors.js'

const untrusted = 'the certificate of etcd is not trusted'
const unreachable = 'etcd cannot be reached'

describe('toSendFailure', () => {
  it.each([
    'CERT_CHAIN_TOO_LONG',
    'CERT_HAS_EXPIRED',
    'CERT_NOT_YET_VALID',
    'CERT_REJECTED',
    'CERT_REVOKED',
    'CERT_SIGNATURE_FAILURE',
    'CERT_UNTRUSTED',
    'CRL_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'HOSTNAME_MISMATCH',
    'INVALID_CA',
    'INVALID_PURPOSE',
    'PATH_LENGTH_EXCEEDED',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_CRL',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])('reports an untrusted certificate when the code is %s', (code) => {
    const { kind, error } = toSendFailure({ name: 'TypeError', cause: { code } })
    expect(kind).toBe('unavailable')
    expect(error).toMatchObject({ code: 'STORAGE_UNAVAILABLE', message: untrusted })
  })

  it.each([
    'ECONNRESET',
    'ERR_OSSL_PEM_NO_START_LINE',
    'ERR_OSSL_X509_CERT_ALREADY_IN_HASH_TABLE',
    'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    'OUT_OF_MEM',
    'constructor',
    7,
    undefined,
  ])('reports an unreachable server when the code is %s', (code) => {
    const { error } = toSendFailure({ name: 'TypeError', cause: { code } })
    expect(error).toMatchObject({ code: 'STORAGE_UNAVAILABLE', message: unreachable })
  })
})
