/** Sends the example requests to a real server and formats them with their responses. */

import { probes, routes } from '../../../src/http/routes.js'
import type { ExampleContext } from './example-context.js'
import { type ExampleRequest, formatExample, sendExample } from './example-request.js'
import { startExampleServer } from './example-server.js'
import { operationExamples, otherExamples, probeExamples } from './examples.js'

/**
 * Returns the Markdown of the examples of each operation and each probe by its name, and `other`
 * for those of no route. They are sent one after the other, in the order of the page.
 */
export async function recordExamples(): Promise<ReadonlyMap<string, string>> {
  const server = await startExampleServer()
  const sections = new Map<string, string>()
  const createdIds = new Map<string, string>()
  const context: ExampleContext = {
    ids: server.ids,
    idFrom: (operation) => createdIds.get(operation) ?? '',
  }
  /** Examples are created one by one, because the second can refer to the response of the first. */
  const record = async (
    name: string,
    create: (index: number) => ExampleRequest | undefined,
  ): Promise<void> => {
    const parts: string[] = []
    for (let index = 0; ; index++) {
      const request = create(index)
      if (request === undefined) break
      const response = await sendExample(request, server)
      const isExpected = index > 0 || name === 'other' || response.status < 300
      if (!isExpected) throw new Error(`${name} was rejected: ${response.text}`)
      if (index === 0 && response.text.startsWith('{'))
        createdIds.set(name, JSON.parse(response.text).id)
      parts.push(formatExample(request, response))
    }
    if (parts.length === 0) throw new Error(`${name} has no example`)
    sections.set(name, parts.join('\n'))
  }
  try {
    for (const { operation, id = operation } of routes)
      await record(id, (index) => operationExamples[id]?.(context)[index])
    for (const { probe } of probes)
      await record(probe, (index) => (index === 0 ? probeExamples[probe] : undefined))
    await record('other', (index) => otherExamples[index])
    return sections
  } finally {
    await server.close()
  }
}
