/** A server that sends a key back, compressed in the ways that runtimes decode differently. */

import { createServer, type IncomingHttpHeaders } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'

/** Returns the encoding in the header, and the body. */
type Encode = (text: string) => readonly [encoding: string, body: Buffer | string]

const encodings: Readonly<Record<string, Encode>> = {
  '/identity': (text) => ['identity', text],
  '/gzip': (text) => ['gzip', gzipSync(text)],
  '/br': (text) => ['br', brotliCompressSync(text)],
  '/deflate': (text) => ['deflate', deflateSync(text)],
  '/gzip,gzip': (text) => ['gzip, gzip', gzipSync(gzipSync(text))],
  '/gzip,br': (text) => ['gzip, br', brotliCompressSync(gzipSync(text))],
  '/gzip-in-gzip': (text) => ['gzip', gzipSync(gzipSync(text))],
  '/gzip-without-header': (text) => ['', gzipSync(text)],
}

/** Calls `work` with the origin of the server, which is stopped afterwards. */
export async function withEchoServer<Result>(
  work: (origin: string) => Promise<Result>,
): Promise<Result> {
  const server = createServer(({ url = '', headers }, response) => {
    const [encoding, body] = encode(url, headers)
    response.writeHead(200, encoding === '' ? {} : { 'content-encoding': encoding }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  try {
    return await work(`http://127.0.0.1:${address.port}`)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

function encode(url: string, headers: IncomingHttpHeaders): ReturnType<Encode> {
  const encodeText = encodings[decodeURIComponent(url)]
  return encodeText?.(`the key is ${headers['x-key']}`) ?? ['', `${headers['accept-encoding']}`]
}
