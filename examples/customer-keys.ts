/**
 * A settings page in Express on which customers enter the key of their own account at a provider.
 * The page shows that a key is set, and never the key. Served until you stop it.
 */

import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { createCaller, createVaultService } from 'cofferkit'
import { createCredentialHandler, createCredentials } from 'cofferkit/credentials'
import { createExpressHandler, type ExpressRequest, fromExpress } from 'cofferkit/express'
import { createMemoryStore } from 'cofferkit/memory'
import express from 'express'

const port = Number(process.env['PORT'] ?? 3000)
const provider = `http://localhost:${port}`

const service = createVaultService({ store: createMemoryStore() })
const setup = createCaller('setup', '*')
const credentials = createCredentials(service, {
  mailer: {
    fields: {
      key: { secret: true, label: 'API key' },
      sender: { label: 'Sender', optional: true },
    },
    origins: [provider],
    async verify({ key }, { signal }) {
      const headers = { authorization: `Bearer ${key}` }
      const { status } = await fetch(`${provider}/provider/account`, { headers, signal })
      if (status !== 200 && status !== 401) throw new Error(`the provider responds with ${status}`)
      return status === 200
    },
  },
})

// The login of the app, which accepts every name. Each customer has a vault.
const app = express()
const vaults = new Map<string, string>()
const sessions = new Map<string, string>()
app.post('/login', express.urlencoded(), async (req, res) => {
  const name = String(req.body.name)
  if (!vaults.has(name)) vaults.set(name, (await service.createVault(setup, { name })).id)
  const session = randomUUID()
  sessions.set(session, name)
  res.cookie('session', session, { httpOnly: true, sameSite: 'strict' }).redirect('/')
})
const nameOf = (req: ExpressRequest) =>
  sessions.get(/(?:^|; )session=([\da-f-]{36})/.exec(req.headers.cookie ?? '')?.[1] ?? '')

// The credentials, behind this login.
const api = createCredentialHandler(credentials, {
  authenticate: fromExpress((req) => {
    const name = nameOf(req)
    return name && createCaller(name, { [String(vaults.get(name))]: 'read-write' })
  }),
  vaultOf: ({ id }) => String(vaults.get(id)),
})
app.use('/api', createExpressHandler(api))

// A stand-in for the provider, which knows keys that begin with `mk_`.
app.get('/provider/account', (req, res) => {
  res.sendStatus(/^Bearer mk_/.test(req.headers.authorization ?? '') ? 200 : 401)
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
<form method="post" action="/login">
  <label>Name <input name="name" required></label> <button>Log in</button>
</form>
</html>`

app.get('/', (req, res) => void res.type('html').send(nameOf(req) ? page : login))

createServer(app).listen(port, '127.0.0.1', () => console.log(`${provider}/`))
