/**
 * A settings page in Express on which customers, who log in with better-auth, enter the key of their
 * own account at a provider. The page shows that a key is set, and never the key. Served until you
 * stop it.
 */

import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node'
import { createCaller, createVaultService } from 'cofferkit'
import {
  createCredentialHandler,
  createCredentials,
} from 'cofferkit/credentials'
import {
  createExpressHandler,
  type ExpressRequest,
  fromExpress,
} from 'cofferkit/express'
import { createMemoryStore } from 'cofferkit/memory'
import express from 'express'

const port = Number(process.env['PORT'] ?? 3000)
const provider = `http://localhost:${port}`

const service = createVaultService({ store: createMemoryStore() })
const setup = createCaller({ id: 'setup', vaults: '*' })
const credentials = createCredentials(service, {
  mailer: {
    fields: {
      key: { label: 'API key' },
      sender: { label: 'Sender', secret: false, optional: true },
    },
    origins: [provider],
    async verify({ key }, { signal }) {
      const headers = { authorization: `Bearer ${key}` }
      const { status } = await fetch(`${provider}/provider/account`, {
        headers,
        signal,
      })
      if (status !== 200 && status !== 401)
        throw new Error(`the provider responds with ${status}`)
      return status === 200
    },
  },
})

// The login of the app. Each customer has a vault.
const app = express()
const vaults = new Map<string, string>()
const auth = betterAuth({
  baseURL: provider,
  secret: randomUUID(),
  database: memoryAdapter({
    user: [],
    session: [],
    account: [],
    verification: [],
  }),
  emailAndPassword: { enabled: true },
  databaseHooks: { user: { create: { after: createVault } } },
})
async function createVault({ email }: { email: string }) {
  vaults.set(email, (await service.createVault(setup, { name: email })).id)
}
app.all('/api/auth/*path', toNodeHandler(auth))
const findUser = async ({ headers }: ExpressRequest) =>
  (await auth.api.getSession({ headers: fromNodeHeaders(headers) }))?.user

// The credentials, behind this login.
const api = createCredentialHandler(credentials, {
  authenticate: fromExpress(async (req) => {
    const user = await findUser(req)
    return (
      user &&
      createCaller({
        id: user.email,
        vaults: {
          [String(vaults.get(user.email))]: 'read-write',
        },
      })
    )
  }),
  vaultOf: ({ id }) => String(vaults.get(id)),
})
app.use('/api', createExpressHandler(api))

// A stand-in for the provider, which knows keys that begin with `mk_`.
app.get('/provider/account', (req, res) => {
  res.sendStatus(
    /^Bearer mk_/.test(req.headers.authorization ?? '') ? 200 : 401,
  )
})

const page = `<!doctype html>
<html lang="en">
<title>Settings</title>
<h1>Mailer</h1>
<form>
  <p><label>API key <input name="key" type="password" autocomplete="off"></label>
  <p><label>Sender <input name="sender"></label>
  <p><button>Save</button>
  <button type="button" id="verify">Check</button>
  <button type="button" id="remove">Remove</button>
</form>
<p role="status"></p>
<script>
  const form = document.querySelector('form')
  const status = document.querySelector('[role=status]')
  const path = '/api/credentials/mailer'
  const headers = { 'Content-Type': 'application/json' }

  function show({ fields: { key, sender }, status: state, updatedBy }) {
    form.reset()
    form.key.placeholder = key.isSet ? key.hint ?? 'is set' : ''
    form.sender.value = sender
    status.textContent = 'Key ' + state + ', saved by ' + updatedBy
  }
  async function send(method, suffix = '', body) {
    const text = body && JSON.stringify(body)
    const response = await fetch(path + suffix, { method, headers, body: text })
    if (response.status === 204 || response.status === 404) {
      form.reset()
      form.key.placeholder = ''
      status.textContent = 'No key'
    } else if (response.ok) show(await response.json())
    else status.textContent = (await response.json()).message
  }
  form.onsubmit = (event) => {
    event.preventDefault()
    send('PUT', '', Object.fromEntries(new FormData(form)))
  }
  document.querySelector('#verify').onclick = () => send('POST', '/verify', {})
  document.querySelector('#remove').onclick = () => send('DELETE')
  send('GET')
</script>
</html>`

const login = `<!doctype html>
<html lang="en">
<title>Log in</title>
<form>
  <p><label>Email <input name="email" type="email" required></label>
  <p><label>Password <input name="password" type="password" minlength="8" required></label>
  <p><button value="sign-in">Log in</button> <button value="sign-up">Sign up</button>
</form>
<p role="status"></p>
<script>
  document.querySelector('form').onsubmit = async (event) => {
    event.preventDefault()
    const { email, password } = Object.fromEntries(new FormData(event.target))
    const response = await fetch('/api/auth/' + event.submitter.value + '/email', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email, password, name: email }),
    })
    if (response.ok) location.reload()
    else document.querySelector('[role=status]').textContent = (await response.json()).message
  }
</script>
</html>`

app.get('/', async (req, res) => {
  res.type('html').send((await findUser(req)) ? page : login)
})

createServer(app).listen(port, '127.0.0.1', () => console.log(`${provider}/`))
