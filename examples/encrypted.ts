/** Stores a vault in an encrypted SQLite file, and re-encrypts it with a new data key. */

import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCaller, createVaultService } from 'cofferkit'
import {
  createEncryptedStore,
  createKeyFile,
  createLocalKeyProvider,
  readKeyFile,
} from 'cofferkit/encrypted'
import { openSqliteStore } from 'cofferkit/sqlite'

const folder = await mkdtemp(join(tmpdir(), 'cofferkit-encrypted-'))
const [keyPath, vaultPath] = [join(folder, 'key'), join(folder, 'vault.sqlite')]

// Once: create the key file. Back it up separately from the vault.
await createKeyFile(keyPath)
console.log('key file: mode', ((await stat(keyPath)).mode & 0o777).toString(8))

// At every start.
async function open() {
  const inner = await openSqliteStore(vaultPath)
  const keys = createLocalKeyProvider({ key: await readKeyFile(keyPath) })
  return { inner, store: createEncryptedStore(inner, { keys }) }
}

const caller = createCaller({ id: 'wendy', vaults: '*' })
const first = await open()
const service = createVaultService({ store: first.store, strict: true })
const { id: vaultId } = await service.createVault(caller, { name: 'Home' })
const item = {
  category: 'LOGIN',
  vault: { id: vaultId },
  title: 'The safe behind the painting',
  fields: [{ id: 'code', type: 'CONCEALED', value: '36-14-52' }],
} as const
const { id: itemId } = await service.createItem(caller, { vaultId, item })
await first.inner.close()

// The file contains no plaintext.
const file = await readFile(vaultPath, 'latin1')
for (const word of ['The safe', '36-14-52'])
  console.log(`in the file, "${word}":`, file.includes(word))

// After a restart: a new data key for every record.
const second = await open()
await second.store.rotateDataKeys()
const { records } = await second.store.reencrypt()
console.log('re-encrypted:', records, 'records')
const found = await createVaultService({
  store: second.store,
  strict: true,
}).getItem(caller, {
  vaultId,
  itemId,
})
console.log(
  'with the key:',
  found.title,
  found.fields?.[0]?.value,
  'version',
  found.version,
)

// Without the key.
const keys = createLocalKeyProvider({
  key: crypto.getRandomValues(new Uint8Array(32)),
})
const thief = createVaultService({
  store: createEncryptedStore(second.inner, { keys }),
  strict: true,
})
const rejection: unknown = await thief
  .getItem(caller, { vaultId, itemId })
  .catch((error) => error)
console.log('without the key:', rejection instanceof Error && rejection.message)
await second.inner.close()
await rm(folder, { recursive: true })
