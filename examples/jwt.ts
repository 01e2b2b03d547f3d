/** Issues JWTs, mounts a vault that accepts them, and revokes one of them. */

import { createServer } from 'node:http'
import { createCaller, createVaultService } from 'cofferkit'
import { bearerAuth, createHttpHandler } from 'cofferkit/http'
import {
  createJwtAuthenticator,
  createSigningKey,
  issueToken,
} from 'cofferkit/jwt'
import { createMemoryStore } from 'cofferkit/memory'
import { createNodeListener } from 'cofferkit/node'

const service = createVaultService({ store: createMemoryStore(), strict: true })
const vault = await service.createVault(
  createCaller({ id: 'setup', vaults: '*' }),
  {
    name: 'Team',
  },
)

// The issuer has the private key. In production it is created once and stored as a secret.
const { privateKey, publicKey } = await createSigningKey()
const ref = {
  issuer: 'https://accounts.example',
  audience: 'https://vault.example',
}
const issue = (subject: string, right: 'read' | 'read-write') =>
  issueToken({
    ...ref,
    privateKey,
    subject,
    vaults: { [vault.id]: right },
    lifetimeSeconds: 3600,
  })

// The vault has the public key and a list of revoked tokens. In production the list is a database
// table.
const revoked = new Set<string>()
const authenticator = createJwtAuthenticator({
  ...ref,
  keys: [publicKey],
  isRevoked: (tokenId) => revoked.has(tokenId),
})
const api = createHttpHandler(service, {
  authenticate: bearerAuth(authenticator),
})
const server = createServer(createNodeListener(api))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const address = server.address()
const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`

// Two clients. The second one can only read.
const create = async ({
  token,
}: {
  readonly token: string
}): Promise<number> => {
  const response = await fetch(`${origin}/v1/vaults/${vault.id}/items`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({
      category: 'SECURE_NOTE',
      vault: { id: vault.id },
      title: 'Door code',
    }),
  })
  return response.status
}
const writer = await issue('deploy', 'read-write')
const reader = await issue('report', 'read')
console.log('a token that can write:', await create(writer))
console.log('a token that can read:', await create(reader))
revoked.add(writer.jti)
console.log('the first one, revoked:', await create(writer))
server.close()
