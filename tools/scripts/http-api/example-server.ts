/** The server that the examples of the HTTP API reference are sent to. */

import { createMemoryActivityLog } from '../../../src/activity.js'
import {
  createTestClock,
  createTestVault,
  type ListeningVault,
  type Seed,
  type TestTokens,
} from '../../../src/testing.js'

/** A file that the examples upload. */
export const uploadedFile = { name: 'ca.pem', content: '-----BEGIN CERTIFICATE-----\n' } as const

/** A running server with two items. */
export interface ExampleServer extends ListeningVault {
  readonly tokens: TestTokens
  readonly ids: ExampleIds
}

/** The ids of what the server begins with. */
export interface ExampleIds {
  readonly vault: string
  readonly router: string
  readonly printer: string
  readonly manual: string
  readonly scan: string
}

const seed: Seed = {
  vaults: [
    {
      name: 'Office',
      description: 'Devices in the office',
      items: [
        {
          category: 'LOGIN',
          title: 'Router',
          tags: ['network'],
          sections: [{ id: 'admin', label: 'Administration' }],
          fields: [
            { id: 'username', purpose: 'USERNAME', value: 'admin' },
            { id: 'password', purpose: 'PASSWORD', value: 'correct horse battery staple' },
            { id: 'pin', label: 'PIN', type: 'CONCEALED', value: '2580', section: { id: 'admin' } },
          ],
        },
        {
          category: 'SERVER',
          title: 'Printer',
          fields: [{ id: 'url', label: 'URL', type: 'URL', value: 'http://printer.example' }],
          files: [
            { name: 'manual.txt', content: 'Press the button.\n' },
            { name: 'scan.bin', content: '\x07'.repeat(2000) },
          ],
        },
      ],
    },
  ],
}

/**
 * Starts the server on a free port of 127.0.0.1. It has an activity log, three versions of each
 * item and the extensions, and inlines files of at most 1 KB. Its ids and generated values are the
 * same in every run. Its clock begins at the same time, and each operation takes a minute.
 */
export async function startExampleServer(): Promise<ExampleServer> {
  const clock = createTestClock()
  const vault = await createTestVault(
    {
      seed,
      now: clock,
      strict: false,
      activity: createMemoryActivityLog(),
      history: { maxVersions: 3 },
      async around(_, next) {
        clock.advance(60_000)
        await next()
      },
    },
    { extensions: true },
  )
  const [{ items: [router, printer] = [] } = {}] = vault.vaults
  const [manual, scan] = printer?.files ?? []
  return {
    ...(await vault.listen()),
    tokens: vault.tokens,
    ids: {
      vault: vault.vaultId,
      router: router?.id ?? '',
      printer: printer?.id ?? '',
      manual: manual?.id ?? '',
      scan: scan?.id ?? '',
    },
  }
}
