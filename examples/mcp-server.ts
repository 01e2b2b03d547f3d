/**
 * An MCP server on standard input and output whose tool calls an API with a customer's key. The model
 * writes the reference, and never sees the key.
 */

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import {
  type Caller,
  createCaller,
  createVaultService,
  type OperationName,
} from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { createSecretFetch, isRefusal, vaultSecrets } from 'cofferkit/use'
import * as z from 'zod'

const { ACME_ORIGIN: origin = 'https://api.acme.example', ACME_KEY: key = '' } =
  process.env

// The customer has saved the key, and where it is sent. A service of yours has a database.
const service = createVaultService({ store: createMemoryStore() })
const customer = createCaller({ id: 'customer', vaults: '*' })
const { id: vaultId } = await service.createVault(customer, {
  name: 'Customer',
})
await service.createItem(customer, {
  vaultId,
  item: {
    category: 'API_CREDENTIAL',
    title: 'Acme',
    urls: [{ href: origin }],
    fields: [{ id: 'key', type: 'CONCEALED', value: key }],
  },
})

// The agent can use the values of the vault, and read none. Names in references need the two lists.
const used = new Set<OperationName | undefined>([
  'useField',
  'listVaults',
  'listItems',
])
const agent: Caller = {
  id: 'agent',
  client: { userAgent: 'call_api' }, // the tool, in the entries of an activity log
  can: (_, id, operation) => id === vaultId && used.has(operation),
}
const secretFetch = createSecretFetch(vaultSecrets(service, agent), {
  allow: ({ place }) => place === 'header:authorization',
  allowLoopbackHttp: true,
})

const server = new McpServer({ name: 'acme', version: '1.0.0' })
server.registerTool(
  'call_api',
  {
    description:
      'Calls an API. Write {{ op://Customer/Acme/key }} in place of the key.',
    inputSchema: {
      url: z.string(),
      method: z.string().optional(),
      headers: z.record(z.string(), z.string()).optional(),
      body: z.string().optional(),
      redirect: z.enum(['follow', 'manual', 'error']).optional(),
    },
  },
  async ({ url, ...init }) => {
    try {
      const response = await secretFetch(
        url,
        Object.fromEntries(Object.entries(init)),
      )
      const { status, statusText } = response
      const headers = Object.fromEntries(response.headers)
      const text = JSON.stringify({
        status,
        statusText,
        headers,
        body: await response.text(),
      })
      return { isError: isRefusal(response), content: [{ type: 'text', text }] }
    } catch (error) {
      return { isError: true, content: [{ type: 'text', text: String(error) }] }
    }
  },
)
await server.connect(new StdioServerTransport())
