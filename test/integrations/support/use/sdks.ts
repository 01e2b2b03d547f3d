/** SDKs and HTTP clients with a secret fetch, and just enough of the APIs that they call. */

import { createRequire } from 'node:module'
import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { GoogleGenAI } from '@google/genai'
import { InferenceClient } from '@huggingface/inference'
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Client as NotionClient } from '@notionhq/client'
import { Octokit } from '@octokit/core'
import { retry } from '@octokit/plugin-retry'
import { Pinecone } from '@pinecone-database/pinecone'
import sendGrid from '@sendgrid/mail'
import { WebClient } from '@slack/web-api'
import { createClient } from '@supabase/supabase-js'
import { generateText, streamText } from 'ai'
import { AwsClient } from 'aws4fetch'
import axios from 'axios'
import type { SecretFetchOptions } from 'cofferkit/use'
import { Bot } from 'grammy'
import Groq from 'groq-sdk'
import ky from 'ky'
import { ofetch } from 'ofetch'
import OpenAI from 'openai'
import Replicate from 'replicate'
import { Resend } from 'resend'
import Stripe from 'stripe'
import * as undici from 'undici'
import { awsOptions, resendFetch } from '../../../../examples/sdk-adapters.js'

/** A request as an API receives it. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** An answer: an object is JSON, and a list is a stream of events. */
export type Answer = object | readonly string[]

/** An SDK, and how it is used. */
export interface Sdk {
  /** The package whose name and version the page has. */
  readonly name: string
  /** The code that a user writes, in one line. */
  readonly code: string
  /** Its other needs, or why it cannot work. Set if it needs more than its option for a `fetch`. */
  readonly trick?: string
  readonly origin: string
  /** The places in which the API receives the key. A signature has none. */
  readonly places: readonly string[]
  readonly options?: SecretFetchOptions
  /** Answers with the key in a text, as an API that echoes it. */
  respond(request: Received, echo: string): Answer
  /** Calls the API, and returns all texts of its answers. Rejects if the API refuses. */
  run(fetch: typeof globalThis.fetch, key: string): Promise<unknown>
}

const bearer = ['header:authorization']

/** Answers of the OpenAI API, and of those that are like it. */
function respondAsOpenAi({ path, body }: Received, echo: string): Answer {
  if (path.endsWith('/responses')) {
    const content = [{ type: 'output_text', text: echo, annotations: [] }]
    const message = { type: 'message', id: 'm', role: 'assistant', status: 'completed', content }
    const usage = { input_tokens: 1, output_tokens: 1 }
    const made = { id: 'r', object: 'response', created_at: 1, model: 'm', usage }
    if (!JSON.parse(body).stream) return { ...made, status: 'completed', output: [message] }
    const events = [
      { type: 'response.created', response: made },
      { type: 'response.output_item.added', output_index: 0, item: { ...message, content: [] } },
      { type: 'response.output_text.delta', item_id: 'm', output_index: 0, delta: echo },
      { type: 'response.output_item.done', output_index: 0, item: message },
      { type: 'response.completed', response: made },
    ]
    return events.map((event) => JSON.stringify(event))
  }
  const made = { id: 'c', created: 1, model: 'm' }
  if (JSON.parse(body).stream) {
    const choices = [{ index: 0, delta: { role: 'assistant', content: echo } }]
    return [JSON.stringify({ ...made, object: 'chat.completion.chunk', choices }), '[DONE]']
  }
  const message = { role: 'assistant', content: echo }
  const choices = [{ index: 0, finish_reason: 'stop', message }]
  return { ...made, object: 'chat.completion', choices }
}

const messages = [{ role: 'user' as const, content: 'Hello' }]

async function readChat(client: OpenAI | Groq): Promise<unknown> {
  const { completions } = (client as OpenAI).chat
  const { choices } = await completions.create({ model: 'm', messages })
  const texts = [choices[0]?.message.content]
  for await (const chunk of await completions.create({ model: 'm', messages, stream: true }))
    texts.push(chunk.choices[0]?.delta.content)
  return texts
}

/** Answers with what the two HTTP clients of this kind read. */
const respondWithText = (_: Received, echo: string): Answer => ({ echo })

export const sdks: readonly Sdk[] = [
  {
    name: 'openai',
    code: 'fetch: secretFetch',
    origin: 'https://api.openai.com',
    places: bearer,
    respond: respondAsOpenAi,
    run: (fetch, apiKey) => readChat(new OpenAI({ apiKey, fetch })),
  },
  {
    name: '@anthropic-ai/sdk',
    code: 'fetch: secretFetch',
    origin: 'https://api.anthropic.com',
    places: bearer,
    respond({ body }, echo) {
      const made = { id: 'm', type: 'message', role: 'assistant', model: 'm', usage: {} }
      const content = [{ type: 'text', text: echo }]
      if (!JSON.parse(body).stream) return { ...made, content, stop_reason: 'end_turn' }
      const delta = { type: 'text_delta', text: echo }
      const events = [
        { type: 'message_start', message: { ...made, content: [] } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_stop' },
      ]
      return events.map((event) => JSON.stringify(event))
    },
    async run(fetch, apiKey) {
      const client = new Anthropic({ apiKey, fetch })
      const request = { model: 'm', max_tokens: 5, messages }
      const { content } = await client.messages.create(request)
      return [content, await client.messages.stream(request).finalText()]
    },
  },
  {
    name: '@google/genai',
    code: 'httpOptions: { fetch: secretFetch }',
    origin: 'https://generativelanguage.googleapis.com',
    places: ['header:x-goog-api-key'],
    respond({ path }, echo) {
      const content = { role: 'model', parts: [{ text: echo }] }
      const answer = { candidates: [{ content, finishReason: 'STOP' }] }
      return path.includes('stream') ? [JSON.stringify(answer)] : answer
    },
    async run(fetch, apiKey) {
      const { models } = new GoogleGenAI({ apiKey, httpOptions: { fetch } })
      const request = { model: 'm', contents: 'Hello' }
      const texts = [(await models.generateContent(request)).text]
      for await (const { text } of await models.generateContentStream(request)) texts.push(text)
      return texts
    },
  },
  {
    name: 'groq-sdk',
    code: 'fetch: secretFetch',
    origin: 'https://api.groq.com',
    places: bearer,
    respond: respondAsOpenAi,
    run: (fetch, apiKey) => readChat(new Groq({ apiKey, fetch })),
  },
  {
    name: 'ai',
    code: 'createOpenAI({ apiKey, fetch: secretFetch })',
    origin: 'https://api.openai.com',
    places: bearer,
    respond: respondAsOpenAi,
    async run(fetch, apiKey) {
      const request = { model: createOpenAI({ apiKey, fetch })('m'), prompt: 'Hello' }
      const { text } = await generateText(request)
      return [text, await streamText(request).text]
    },
  },
  {
    name: '@huggingface/inference',
    code: 'fetch: secretFetch, endpointUrl',
    trick:
      'Pass `endpointUrl`. Otherwise the client chooses a URL by what the key looks like, and a reference does not look like a key',
    origin: 'https://router.huggingface.co',
    places: bearer,
    respond: respondAsOpenAi,
    async run(fetch, apiKey) {
      const endpointUrl = 'https://router.huggingface.co/v1'
      const client = new InferenceClient(apiKey, { fetch, endpointUrl })
      const { choices } = await client.chatCompletion({ model: 'm', messages })
      const texts = [choices[0]?.message.content]
      for await (const chunk of client.chatCompletionStream({ model: 'm', messages }))
        texts.push(chunk.choices[0]?.delta.content)
      return texts
    },
  },
  {
    name: 'replicate',
    code: 'fetch: secretFetch',
    origin: 'https://api.replicate.com',
    places: bearer,
    respond: (_, echo) => ({ id: 'p', status: 'succeeded', output: echo, urls: {} }),
    async run(fetch, auth) {
      const client = new Replicate({ auth, fetch })
      return client.predictions.create({ model: 'a/b', input: {}, wait: true })
    },
  },
  {
    name: '@modelcontextprotocol/sdk',
    code: 'fetch: secretFetch, requestInit',
    origin: 'https://mcp.example.com',
    places: bearer,
    respond({ method, body }, echo) {
      if (method !== 'POST') return {}
      const { id, method: called } = JSON.parse(body)
      const serverInfo = { name: 'server', version: '1' }
      const initialized = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }
      const tools = [{ name: 'tool', description: echo, inputSchema: { type: 'object' } }]
      if (called === 'initialize') return { jsonrpc: '2.0', id, result: initialized }
      return [JSON.stringify({ jsonrpc: '2.0', id, result: { tools } })]
    },
    async run(fetch, key) {
      const client = new McpClient({ name: 'client', version: '1' })
      const requestInit = { headers: { authorization: `Bearer ${key}` } }
      const url = new URL('https://mcp.example.com/mcp')
      const transport = new StreamableHTTPClientTransport(url, { fetch, requestInit })
      // Its types do not allow exactOptionalPropertyTypes.
      await client.connect(transport as Parameters<typeof client.connect>[0])
      const { tools } = await client.listTools()
      await client.close()
      return tools
    },
  },
  {
    name: 'stripe',
    code: 'httpClient: Stripe.createFetchHttpClient(secretFetch)',
    origin: 'https://api.stripe.com',
    places: bearer,
    respond: (_, echo) => ({ object: 'list', data: [{ id: 'c', name: echo }], has_more: false }),
    async run(fetch, key) {
      const stripe = new Stripe(key, { httpClient: Stripe.createFetchHttpClient(fetch) })
      return (await stripe.customers.list()).data
    },
  },
  {
    name: '@octokit/core',
    code: 'request: { fetch: secretFetch }',
    origin: 'https://api.github.com',
    places: bearer,
    respond: (_, echo) => ({ login: echo }),
    async run(fetch, auth) {
      return (await new Octokit({ auth, request: { fetch } }).request('GET /user')).data
    },
  },
  {
    name: '@octokit/plugin-retry',
    code: 'request: { fetch: secretFetch }',
    origin: 'https://api.github.com',
    places: bearer,
    respond: (_, echo) => ({ login: echo }),
    async run(fetch, auth) {
      const client = new (Octokit.plugin(retry))({ auth, request: { fetch } })
      return (await client.request('GET /user')).data
    },
  },
  {
    name: '@slack/web-api',
    code: 'fetch: secretFetch, retryConfig: { retries: 0 }',
    trick: 'With its default retries, the client repeats a refusal for half an hour',
    origin: 'https://slack.com',
    places: bearer,
    respond: (_, echo) => ({ ok: true, user: echo }),
    run: (fetch, key) => new WebClient(key, { fetch, retryConfig: { retries: 0 } }).auth.test(),
  },
  {
    name: '@notionhq/client',
    code: 'fetch: secretFetch',
    origin: 'https://api.notion.com',
    places: bearer,
    respond: (_, echo) => ({ object: 'user', id: 'u', name: echo }),
    run: (fetch, auth) => new NotionClient({ auth, fetch: fetch as never }).users.me({}),
  },
  {
    name: '@supabase/supabase-js',
    code: 'global: { fetch: secretFetch }',
    origin: 'https://acme.supabase.co',
    places: ['header:apikey', 'header:authorization'],
    respond: (_, echo) => [{ id: 1, name: echo }] as never,
    async run(fetch, key) {
      const client = createClient('https://acme.supabase.co', key, { global: { fetch } })
      const { data, error } = await client.from('notes').select()
      if (error !== null) throw error
      return data
    },
  },
  {
    name: '@pinecone-database/pinecone',
    code: 'fetchApi: secretFetch',
    origin: 'https://api.pinecone.io',
    places: ['header:api-key'],
    respond: (_, echo) => ({
      indexes: [
        {
          ...{ name: echo, dimension: 3, metric: 'cosine', host: 'h', vectorType: 'dense' },
          ...{ spec: { serverless: { cloud: 'aws', region: 'r' } } },
          ...{ status: { ready: true, state: 'Ready' } },
        },
      ],
    }),
    run: (fetch, apiKey) => new Pinecone({ apiKey, fetchApi: fetch }).listIndexes(),
  },
  {
    name: 'resend',
    code: 'resend.fetchRequest = resendFetch(secretFetch)',
    trick: '`resendFetch` is in [sdk-adapters.ts](../examples/sdk-adapters.ts)',
    origin: 'https://api.resend.com',
    places: bearer,
    respond: (_, echo) => ({ object: 'list', data: [{ id: 'd', name: echo }] }),
    async run(fetch, key) {
      const resend = new Resend(key)
      resend.fetchRequest = resendFetch(fetch) as typeof resend.fetchRequest
      const { data, error } = await resend.domains.list()
      if (error !== null) throw error
      return data
    },
  },
  {
    name: '@sendgrid/mail',
    code: "setDefaultRequest({ adapter: 'fetch', env: { fetch: secretFetch } })",
    trick: 'Set this on the client of `@sendgrid/client`',
    origin: 'https://api.sendgrid.com',
    places: bearer,
    respond: (_, echo) => ({ echo }),
    async run(fetch, key) {
      const { Client } = createRequire(import.meta.url)('@sendgrid/client')
      const client = new Client().setDefaultRequest({ adapter: 'fetch', env: { fetch } })
      sendGrid.setClient(client)
      sendGrid.setApiKey(key)
      const [, body] = await sendGrid.send({ to: 'a@b.c', from: 'd@e.f', subject: 'g', text: 'h' })
      return body
    },
  },
  {
    name: 'grammy',
    code: 'client: { fetch: secretFetch }',
    trick: "Create the secret fetch with `placesOf: () => ['path']` and `refusal: 'throw'`",
    origin: 'https://api.telegram.org',
    places: ['path'],
    options: { placesOf: () => ['path'], refusal: 'throw' },
    respond: (_, echo) => ({ ok: true, result: { id: 1, is_bot: true, first_name: echo } }),
    run: (fetch, key) => new Bot(key, { client: { fetch: fetch as never } }).api.getMe(),
  },
  {
    name: '@aws-sdk/client-s3',
    code: '...awsOptions(secretFetch, reference)',
    trick:
      '`awsOptions` is in [sdk-adapters.ts](../examples/sdk-adapters.ts). The secret fetch [signs](signatures.md#sign-a-request) the requests',
    origin: 'https://bucket.s3.eu-central-1.amazonaws.com',
    places: [],
    options: {
      sign: {
        aws: (request, { accessKeyId = '', secretAccessKey = '' }) =>
          new AwsClient({ accessKeyId, secretAccessKey }).sign(request),
      },
    },
    respond: (_, echo) => ({ echo }),
    async run(fetch) {
      const options = awsOptions(fetch, 'op://Acme/AWS')
      const client = new S3Client({ region: 'eu-central-1', ...(options as object) })
      const { Body } = await client.send(new GetObjectCommand({ Bucket: 'bucket', Key: 'a' }))
      return Body?.transformToString()
    },
  },
  {
    name: 'axios',
    code: "adapter: 'fetch', env: { fetch: secretFetch }",
    origin: 'https://api.example.com',
    places: bearer,
    respond: respondWithText,
    async run(fetch, key) {
      const headers = { authorization: `Bearer ${key}` }
      const client = axios.create({ adapter: 'fetch', env: { fetch }, headers })
      return (await client.get('https://api.example.com/a')).data
    },
  },
  {
    name: 'ky',
    code: 'fetch: secretFetch',
    origin: 'https://api.example.com',
    places: bearer,
    respond: respondWithText,
    run(fetch, key) {
      const client = ky.create({ fetch, headers: { authorization: `Bearer ${key}` } })
      return client.get('https://api.example.com/a').json()
    },
  },
  {
    name: 'ofetch',
    code: 'ofetch.create({ headers }, { fetch: secretFetch })',
    origin: 'https://api.example.com',
    places: bearer,
    respond: respondWithText,
    run(fetch, key) {
      const client = ofetch.create({ headers: { authorization: `Bearer ${key}` } }, { fetch })
      return client('https://api.example.com/a')
    },
  },
  {
    name: 'undici',
    code: 'secretFetch(new undici.Request(url, { headers }))',
    origin: 'https://api.example.com',
    places: bearer,
    respond: respondWithText,
    async run(fetch, key) {
      const headers = { authorization: `Bearer ${key}` }
      const request: unknown = new undici.Request('https://api.example.com/a', { headers })
      const response = await fetch(request as Request)
      if (!response.ok) throw response
      return response.json()
    },
  },
]
