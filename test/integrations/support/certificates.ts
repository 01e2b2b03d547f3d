/** Certificates for tests, made by openssl. */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The paths of a certificate and of its private key, as PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** A folder with certificates. */
export interface Certificates {
  readonly folder: string
  /** Creates `<name>.pem` and `<keyName>.pem`: of 127.0.0.1 by the authority, or an authority. */
  create(name: string, keyName: string, authority?: Certificate): Certificate
  remove(): void
}

/** Creates an empty folder. The certificates are valid for a day, for servers and for clients. */
export function createCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'cofferkit-certificates-'))
  return {
    folder,
    create(name, keyName, authority) {
      const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${keyName}.pem`)]
      const signed = authority && [
        ...['-CA', authority.cert, '-CAkey', authority.key],
        ...['-addext', 'subjectAltName=IP:127.0.0.1', '-addext', 'basicConstraints=CA:FALSE'],
      ]
      const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc']
      const subject = ['-subj', `/CN=${name}`, '-days', '1', '-keyout', key, '-out', cert]
      execFileSync('openssl', ['req', '-x509', ...kind, ...subject, ...(signed ?? [])], {
        stdio: 'ignore',
      })
      return { cert, key }
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}
