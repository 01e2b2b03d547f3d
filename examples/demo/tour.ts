/** Calls the vault as an HTTP client, and prints each request and its response. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { useClient } from './client.js'
import { paint, print, printExchange } from './print.js'
import { afterRestart, firstStep, furtherSteps, type Step } from './steps.js'
import type { DemoVault } from './vault.js'

/**
 * Runs the tour of a vault. `start` is called twice on the same folder, the second time as a
 * restart. Returns whether every response had the expected status, nothing was lost, and no
 * plaintext was found on disk.
 */
export async function tour(start: () => Promise<DemoVault>): Promise<boolean> {
  const began = performance.now()
  let vault = await start()
  print(
    `\n${paint('bold', 'cofferkit')}: a vault in an encrypted file, on ${vault.origin}`,
  )
  print('Values, tokens and contents are masked, and ids are shortened.\n')

  const first = firstStep(vault)
  const created = await runStep(vault.origin, first, 1)
  const itemId = String(Reflect.get(Object(created.json), 'id'))
  const steps = furtherSteps(vault, itemId)
  let met = created.status === first.status ? 1 : 0
  let changed: unknown
  for (const [index, step] of steps.entries()) {
    const { status, json } = await runStep(vault.origin, step, index + 2)
    if (status === step.status) met += 1
    if (step.method === 'PATCH' && status === 200) changed = json
  }

  await vault.close()
  print('   The vault stops, and starts again on the same file.\n')
  vault = await start()
  const last = afterRestart(vault, itemId)
  const again = await runStep(vault.origin, last, steps.length + 2)
  print(
    '   The published JavaScript client, unmodified, uses the same vault.\n',
  )
  const calls = await useClient(vault)
  await vault.close()
  if (again.status === last.status) met += 1
  const isKept = JSON.stringify(again.json) === JSON.stringify(changed)
  const isSealed = !readFolder(vault.folder).includes('wendy@example.com')

  const time = Math.round(performance.now() - began)
  print(
    `\n${met} of ${steps.length + 2} responses had the expected status; ${time} ms.`,
  )
  print(
    `After the restart the item is ${isKept ? 'unchanged' : 'CHANGED'}. Its values are`,
  )
  print(`${isSealed ? 'encrypted' : 'IN PLAINTEXT'} in the vault's file.`)
  print(`The published client made ${calls} calls, and all of them succeeded.`)
  print('To try it yourself: npm run demo -- --serve\n')
  return met === steps.length + 2 && isKept && isSealed
}

async function runStep(
  origin: string,
  step: Step,
  number: number,
): Promise<{ readonly status: number; readonly json: unknown }> {
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
  const json: unknown = await response.json()
  printExchange(number, step, {
    status,
    etag: response.headers.get('etag'),
    json,
  })
  return { status, json }
}

/** The bytes of all files in the folder. */
function readFolder(folder: string): Buffer {
  return Buffer.concat(
    readdirSync(folder).map((name) => readFileSync(join(folder, name))),
  )
}
