/** Wrong calls of the functions of `cofferkit/import`. */

import { createVaultService } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { notFunctions, notOptions, secret, type WrongCallsByName } from './wrong-call.js'

const service = createVaultService({ store: createMemoryStore() })
const bytes = new Uint8Array()

export const importCalls: WrongCallsByName = {
  readExport: {
    'bytes must be a Uint8Array': [[], [null], [secret], [[1, 2]], [new ArrayBuffer(1)]],
    'options must be an object': notOptions.map((options) => [bytes, options]),
    'options.format must be 1pux or bitwarden': [
      [bytes, { format: secret }],
      [bytes, { format: null }],
      [bytes, { format: '1PUX' }],
    ],
  },
  importItems: {
    'service must be an object with as, dialect': [[], [null], [secret]],
    'service.as must be a function': [[{}]],
    'input must be an object': [
      [service, undefined],
      ...notOptions.map((input) => [service, undefined, input]),
    ],
    'input.items must be an array': [[service, undefined, { vaultId: 'a', files: [] }]],
    'input.files must be an array': [[service, undefined, { vaultId: 'a', items: [] }]],
    'input.onProgress must be a function': notFunctions.map((onProgress) => [
      ...[service, undefined],
      { vaultId: 'a', items: [], files: [], onProgress },
    ]),
  },
}
