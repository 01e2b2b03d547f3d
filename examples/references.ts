/** Starts a program with secrets of a vault, which its configuration only refers to. */

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createCaller, createVaultService, isVaultError } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { createReferenceResolver } from 'cofferkit/references'

const service = createVaultService({ store: createMemoryStore(), strict: true })
const { id: vaultId } = await service.createVault(
  createCaller({ id: 'setup', vaults: '*' }),
  {
    name: 'Shop',
  },
)
await service.as(createCaller({ id: 'setup', vaults: '*' })).createItem({
  vaultId,
  item: {
    category: 'DATABASE',
    vault: { id: vaultId },
    title: 'orders-db',
    sections: [{ id: 'replica', label: 'Replica' }],
    fields: [
      { id: 'username', value: 'shop' },
      { id: 'password', type: 'CONCEALED', value: 'correct horse' },
      { id: 'host', value: 'db2.internal', section: { id: 'replica' } },
    ],
  },
})

// The deployment can read this vault only, and change nothing.
const references = createReferenceResolver(
  service,
  createCaller({ id: 'deploy', vaults: { [vaultId]: 'read' } }),
)

// A single value.
const password = await references.resolve('op://Shop/orders-db/password')
console.log('password:', password.length, 'characters')

// The environment of a program. That of this process does not change.
const env = await references.resolveEnv({
  ...process.env,
  DB_USER: 'op://Shop/orders-db/username',
  DB_PASSWORD: 'op://shop/orders-db/password',
  DB_PORT: '5432',
})
const program =
  "const { DB_USER, DB_PORT } = process.env; console.log(DB_USER + ':' + DB_PORT)"
const { stdout } = await promisify(execFile)(
  process.execPath,
  ['--eval', program],
  { env },
)
console.log('the program has:', stdout.trim())
console.log('this process has:', process.env['DB_USER'])

// A configuration file.
const template =
  'host: {{ op://Shop/orders-db/Replica/host }}\nuser: $DB_USER\n'
console.log((await references.inject(template)).trimEnd())

// A reference that does not exist.
try {
  await references.resolveAll([
    'op://Shop/orders-db/username',
    'op://Shop/orders-db/pass',
  ])
} catch (error) {
  if (!isVaultError(error)) throw error
  console.log(error.status, error.message)
}
