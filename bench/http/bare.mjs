/** The floor of HTTP: reads the body, parses it, stringifies an answer of the same size, sends it. Keeps nothing. */

import { newId } from '../by-hand.mjs'
import { storedItem, token } from '../sample.mjs'

export async function startServer(count) {
  const places = Array.from({ length: count }, () => newId())
  const item = storedItem(places[0], 0)
  const answers = { PATCH: () => item, GET: () => item.files[0] }
  const listener = (req, res) => {
    if (req.headers.authorization !== `Bearer ${token}`) return res.writeHead(401).end()
    const chunks = []
    req.on('data', (chunk) => chunks.push(chunk))
    req.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const body = text === '' ? undefined : JSON.parse(text)
      const answer = JSON.stringify(answers[req.method]?.() ?? { ...item, ...body })
      res
        .writeHead(200, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(answer),
        })
        .end(answer)
    })
  }
  return { listener, places }
}
