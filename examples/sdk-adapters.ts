/** Adapters for a secret fetch of two SDKs that have no option for a `fetch`. */

import { isRefusal } from 'cofferkit/use'

type Fetch = typeof globalThis.fetch

/**
 * Returns the method that sends of the client of Resend, version 6:
 * `resend.fetchRequest = resendFetch(secretFetch)`.
 */
export function resendFetch(secretFetch: Fetch) {
  return async (path: string, init?: RequestInit) => {
    const response = await secretFetch(`https://api.resend.com${path}`, init)
    const headers = Object.fromEntries(response.headers)
    const body = await response.json()
    return response.ok
      ? { data: body, error: null, headers }
      : { data: null, error: body, headers }
  }
}

/** A request of an AWS SDK, version 3. */
interface AwsRequest {
  readonly method: string
  readonly protocol: string
  readonly hostname: string
  readonly path: string
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
  readonly body?: BodyInit
}

/**
 * Returns options for the client of an AWS service, which sends unsigned requests. The secret fetch
 * signs them with its scheme `aws`: `new S3Client({ region, ...awsOptions(secretFetch, reference) })`.
 */
export function awsOptions(secretFetch: Fetch, reference: string) {
  return {
    // The client demands them, and does not use them.
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    signer: { sign: async <Request>(request: Request) => request },
    requestHandler: {
      async handle({
        method,
        protocol,
        hostname,
        path,
        query,
        headers,
        body,
      }: AwsRequest) {
        const url = new URL(`${protocol}//${hostname}${path}`)
        for (const [name, value] of Object.entries(query))
          url.searchParams.set(name, String(value))
        const { host: _, ...others } = headers
        const response = await secretFetch(url, {
          method,
          headers: { ...others, 'x-cofferkit-sign': `aws ${reference}` },
          ...(body !== undefined && { body }),
        })
        // The client would read a refusal as XML.
        if (isRefusal(response))
          throw new Error((await response.json()).message)
        const answer = {
          statusCode: response.status,
          headers: Object.fromEntries(response.headers),
        }
        return { response: { ...answer, body: response.body } }
      },
    },
  }
}
