/** Goes through the interface as an HTTP client, and prints what it asks and what it is answered. */

import { paint, print, printExchange } from './print.js'
import { firstStep, furtherSteps, type Step } from './steps.js'
import type { DemoVault } from './vault.js'

/** Takes the tour; resolves with whether every answer had the status it should have. */
export async function tour(vault: DemoVault): Promise<boolean> {
  const began = performance.now()
  print(`\n${paint('bold', 'cofferkit')}: a vault in memory, on ${vault.origin}`)
  print('Values, tokens and contents are masked, and ids are shortened.\n')

  const first = firstStep(vault)
  const created = await take(vault.origin, first, 1)
  const steps = furtherSteps(vault, String(Reflect.get(Object(created.answer), 'id')))
  let met = created.status === first.status ? 1 : 0
  for (const [index, step] of steps.entries()) {
    const { status } = await take(vault.origin, step, index + 2)
    if (status === step.status) met += 1
  }

  const time = Math.round(performance.now() - began)
  print(`${met} of ${steps.length + 1} answers had the status they should have; ${time} ms.`)
  print('To try it yourself: npm run demo -- --serve\n')
  return met === steps.length + 1
}

async function take(
  origin: string,
  step: Step,
  number: number,
): Promise<{ readonly status: number; readonly answer: unknown }> {
  const { method, path, token, body } = step
  const response = await fetch(origin + path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const { status } = response
  const answer: unknown = await response.json()
  printExchange(number, step, { status, etag: response.headers.get('etag'), answer })
  return { status, answer }
}
