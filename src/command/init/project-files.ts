/** The files of a project that keeps customers' keys. */

import { type Framework, frameworkTemplates } from './frameworks.js'

/** The choices that the files depend on, besides the database. */
export interface ProjectChoices {
  readonly framework: Framework
  /** The specifier of the configuration in the modules of the folder, such as `../cofferkit.config.mjs`. */
  readonly config: string
  /** The path of the folder from the project, with slashes. */
  readonly folder: string
  /** True if the tests are for Vitest, false if they are for `node --test`. */
  readonly hasVitest: boolean
}

/** Returns the texts of the files in the folder, by their names. */
export function formatProject(choices: ProjectChoices): Readonly<Record<string, string>> {
  return {
    'keys.mjs': formatKeys(choices),
    'server.mjs': formatServer(choices),
    'settings.html': settingsText,
    'worker.mjs': formatWorker(choices),
    'stand-in.mjs': formatStandIn(choices),
    'keys.test.mjs': formatTest(choices),
  }
}

function formatKeys({ config }: ProjectChoices): string {
  return `// The keys that your customers give you: which ones, and how they are checked.
import { createHash } from 'node:crypto'
import { createCaller, createVaultService } from 'cofferkit'
import { createStoredActivityLog } from 'cofferkit/activity'
import { createCredentials } from 'cofferkit/credentials'
import { createSecretFetch, vaultSecrets } from 'cofferkit/use'

export const stripeUrl = process.env.STRIPE_URL ?? 'https://api.stripe.com'

const kinds = {
  stripe: {
    fields: { key: { label: 'API key' } },
    // The key is sent to these hosts and to no other.
    origins: [stripeUrl],
    /** Resolves with true if Stripe accepts the key, false if it refuses it. */
    async verify({ key }, { signal }) {
      const headers = { authorization: \`Bearer \${key}\` }
      const url = \`\${stripeUrl}/v1/balance\`
      const { status } = await fetch(url, { headers, signal })
      if (status !== 200 && status !== 401)
        throw new Error(\`Stripe responds with \${status}\`)
      return status === 200
    },
  },
}

/** Opens the store of cofferkit.config, and creates its tables. */
export async function openKeys() {
  const { default: config } = await import('${config}')
  const { store, migrate, close } =
    typeof config === 'function' ? await config() : config
  await migrate?.()
  const keys = createKeys(store)
  return {
    ...keys,
    async close() {
      await keys.service.close()
      await store.close?.()
      await close?.()
    },
  }
}

/** Keeps the keys of all customers in a store. */
export function createKeys(store) {
  const activity = createStoredActivityLog(store)
  const service = createVaultService({ store, activity })
  return {
    service,
    credentials: createCredentials(service, kinds),

    /** Creates the vault of a customer. Call it when they sign up. */
    async addCustomer(customer) {
      const vaultId = vaultIdOf(customer)
      const vaults = { [vaultId]: 'write' }
      const admin = createCaller({ id: 'sign-up', vaults, createVaults: true })
      try {
        await service.createVault(admin, { vaultId, name: customer })
      } catch (error) {
        if (error.code !== 'CONFLICT') throw error // It exists already.
      }
    },

    /** Returns a fetch that can use the keys of a customer, but read none. */
    fetchFor(customer) {
      const use = [{ places: ['header:authorization'] }]
      const vaults = { [vaultIdOf(customer)]: 'use' }
      const worker = createCaller({ id: 'worker', vaults, use })
      const secrets = vaultSecrets(service, worker)
      // The stand-in for Stripe has no TLS.
      return createSecretFetch(secrets, { allowLoopbackHttp: true })
    },
  }
}

/** Returns the caller for a customer, who can change their own keys. */
export function callerOf(customer) {
  const vaults = { [vaultIdOf(customer)]: 'read-write' }
  return createCaller({ id: customer, vaults })
}

/**
 * Returns the id of a customer's vault, 26 letters of a hash. You can also
 * store the id that createVault returns in your table of customers.
 */
export function vaultIdOf(customer) {
  const hash = createHash('sha256').update(customer).digest('hex')
  return hash.replaceAll(/\\d/g, (digit) => 'ghijklmnop'[digit]).slice(0, 26)
}
`
}

function formatServer({ framework, folder }: ProjectChoices): string {
  const { imports, server, seesPrefix } = frameworkTemplates[framework]
  const ours = [
    "import { readFileSync } from 'node:fs'",
    "import { createCredentialHandler } from 'cofferkit/credentials'",
    ...imports,
  ].sort(compareImports)
  const basePath = seesPrefix ? "\n  basePath: '/api'," : ''
  return `// The page on which your customers enter their keys. Run it:
// node ${folder}/server.mjs
${ours.join('\n')}
import { callerOf, openKeys, vaultIdOf } from './keys.mjs'

if (process.env.NODE_ENV === 'production')
  throw new Error('Put your login into ${folder}/server.mjs first')

const keys = await openKeys()
await keys.addCustomer('acme')
const page = readFileSync(new URL('settings.html', import.meta.url), 'utf8')

const routes = createCredentialHandler(keys.credentials, {${basePath}
  // Your login goes here. It returns the caller for the customer who is
  // logged in, or undefined: docs/authentication.md of cofferkit.
  authenticate: () => callerOf('acme'),
  vaultOf: ({ id }) => vaultIdOf(id),
})

const port = Number(process.env.PORT ?? 3000)
const ready = () => console.log(\`http://localhost:\${port}\`)
${server}

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => server.close(() => keys.close()))
`
}

/** Node's modules first, then the others, each in the order of their names. */
function compareImports(one: string, other: string): number {
  const keyOf = (line: string) => line.replace(/^.* from '/, '').replace(/^node:/, ' ')
  return keyOf(one) < keyOf(other) ? -1 : 1
}

const settingsText = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Settings</title>
<h1>Stripe</h1>
<p role="status"></p>
<form>
  <label>API key <input name="key" type="password" autocomplete="off"></label>
  <button>Save</button>
  <button type="button" id="remove">Remove</button>
</form>
<script type="module">
  const status = document.querySelector('[role=status]')
  const form = document.querySelector('form')

  async function send(method, body) {
    const response = await fetch('/api/credentials/stripe', {
      method,
      ...(body && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    })
    if (response.status === 404 || response.status === 204) {
      status.textContent = 'No key is set.'
      return
    }
    const answer = await response.json()
    if (!response.ok) {
      status.textContent = answer.message
      return
    }
    form.reset()
    const { isSet, hint = '' } = answer.fields.key
    const shown = isSet ? \`A key is set: \${hint}\` : 'No key is set'
    status.textContent = \`\${shown} (\${answer.status})\`
  }

  form.onsubmit = (event) => {
    event.preventDefault()
    send('PUT', Object.fromEntries(new FormData(form)))
  }
  document.querySelector('#remove').onclick = () => send('DELETE')
  send('GET')
</script>
</html>
`

function formatWorker({ folder }: ProjectChoices): string {
  return `// Calls Stripe with a customer's key, which this code never sees. Run it:
// node ${folder}/worker.mjs
import { callerOf, openKeys, stripeUrl, vaultIdOf } from './keys.mjs'

const customer = 'acme'
const vaultId = vaultIdOf(customer)
const keys = await openKeys()
const credentials = keys.credentials.of(callerOf(customer), vaultId)
const reference = await credentials.reference('stripe', 'key')

const secretFetch = keys.fetchFor(customer)
const response = await secretFetch(\`\${stripeUrl}/v1/balance\`, {
  headers: { authorization: \`Bearer {{ \${reference} }}\` },
})
console.log(response.status, await response.text())

// Who used which key, when, and for which host?
const { entries } = await keys.service.listActivity(callerOf(customer), {
  vaultId,
  limit: 5,
})
for (const { timestamp, actor, operation, result, use } of entries)
  console.log(timestamp, actor.id, operation, result, use?.origin ?? '')
await keys.close()
`
}

function formatStandIn({ folder }: ProjectChoices): string {
  return `// Stands for Stripe, so that you can try everything without an account. It
// accepts keys that begin with sk_test_, and repeats the key that it gets:
// node --import ./${folder}/stand-in.mjs ${folder}/server.mjs
import { createServer } from 'node:http'

process.env.STRIPE_URL ??= 'http://localhost:4242'
const { port, hostname } = new URL(process.env.STRIPE_URL)

const server = createServer(({ headers }, response) => {
  const { authorization = '' } = headers
  const isAccepted = authorization.startsWith('Bearer sk_test_')
  response.writeHead(isAccepted ? 200 : 401, { connection: 'close' })
  response.end(JSON.stringify({ available: 4200, echo: authorization }))
})
await new Promise((resolve, reject) => {
  server.once('error', (error) => {
    // Another process has started it already.
    if (error.code === 'EADDRINUSE') resolve()
    else reject(error)
  })
  server.listen(Number(port), hostname, resolve)
})
server.unref()
`
}

function formatTest({ hasVitest }: ProjectChoices): string {
  const library = hasVitest ? 'vitest' : 'node:test'
  const imports = [
    "import assert from 'node:assert/strict'",
    `import { it } from '${library}'`,
    "import { createMemoryStore } from 'cofferkit/memory'",
  ].sort(compareImports)
  return `// Tests the keys with a store in memory and the stand-in for Stripe.
${imports.join('\n')}
import './stand-in.mjs' // before keys.mjs, which reads STRIPE_URL
import { callerOf, createKeys, stripeUrl, vaultIdOf } from './keys.mjs'

const key = 'sk_test_0123456789abcdWXYZ'
const vaultId = vaultIdOf('acme')

async function createAcme() {
  const keys = createKeys(createMemoryStore())
  await keys.addCustomer('acme')
  const acme = keys.credentials.of(callerOf('acme'), vaultId)
  return { keys, acme }
}

it('saves a key, shows its end, and uses it', async () => {
  const { keys, acme } = await createAcme()
  const { status, fields } = await acme.save('stripe', { key })
  assert.equal(status, 'ok')
  assert.deepEqual(fields.key, { isSet: true, hint: '…WXYZ' })

  const reference = await acme.reference('stripe', 'key')
  const response = await keys.fetchFor('acme')(\`\${stripeUrl}/v1/balance\`, {
    headers: { authorization: \`Bearer {{ \${reference} }}\` },
  })
  const { echo } = await response.json()
  assert.equal(echo, 'Bearer [secret]')

  const { entries } = await keys.service.listActivity(callerOf('acme'), {
    vaultId,
  })
  assert.equal(entries[0].operation, 'useField')
  assert.equal(entries[0].actor.id, 'worker')
})

it('does not save a key that Stripe refuses', async () => {
  const { acme } = await createAcme()
  const code = 'CREDENTIAL_REJECTED'
  await assert.rejects(acme.save('stripe', { key: 'sk_wrong_key' }), { code })
})

it('keeps a customer out of the keys of another one', async () => {
  const { keys, acme } = await createAcme()
  await acme.save('stripe', { key })
  const globex = keys.credentials.of(callerOf('globex'), vaultId)
  await assert.rejects(globex.describe('stripe'), { code: 'FORBIDDEN' })
})
`
}
