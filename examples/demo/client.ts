/** Uses the vault through the published JavaScript client, unmodified, as an application would. */

import {
  FieldPurpose,
  FieldType,
  ItemBuilder,
  OnePasswordConnect,
} from '@1password/connect'
import { paint, print } from './print.js'
import type { DemoVault } from './vault.js'

const oneTimeCode =
  'otpauth://totp/Build:wendy?secret=JBSWY3DPEHPK3PXP&issuer=Build'

/**
 * Prints each call and its outcome, and returns the number of calls.
 * @throws the errors of the client.
 */
export async function useClient({
  clientOrigin,
  tokens,
}: DemoVault): Promise<number> {
  const client = OnePasswordConnect({
    serverURL: clientOrigin,
    token: tokens.owner,
  })
  let calls = 0
  const called = (call: string, outcome: string): void => {
    calls += 1
    print(`   ${paint('cyan', call.padEnd(18))} ${outcome}`)
  }

  const { id: vaultId = '', name } = await client.getVaultByTitle('Demo')
  called('getVaultByTitle', `finds the vault ${name}`)

  const draft = new ItemBuilder()
    .setCategory('LOGIN')
    .setTitle('Build "server"')
    .addField({
      label: 'username',
      purpose: FieldPurpose.Username,
      value: 'wendy',
    })
    .addField({
      purpose: FieldPurpose.Password,
      generate: true,
      recipe: { length: 40 },
    })
    .addField({
      label: 'code',
      sectionName: 'Second factor',
      type: FieldType.Otp,
      value: oneTimeCode,
    })
    .build()
  const created = await client.createItem(vaultId, draft)
  const password = created.fields?.find(
    ({ purpose }) => String(purpose) === 'PASSWORD',
  )?.value
  called(
    'createItem',
    `creates a login with a password of ${password?.length} characters`,
  )

  const item = await client.getItemByTitle(vaultId, 'Build "server"')
  called('getItemByTitle', `finds it again: version ${item.version}`)
  const code = await client.getItemOTP(vaultId, 'Build "server"')
  called('getItemOTP', `returns a one-time code of ${code.length} digits`)

  await client.updateItem(vaultId, {
    ...item,
    title: 'Build server',
    extractOTP: () => '',
  })
  called('updateItem', 'renames it')

  const files = await client.listFiles('Demo', 'Papers')
  called('listFiles', `lists ${files.map((file) => file.name).join(' and ')}`)
  const content = await client.getFileContent(
    'Demo',
    'Papers',
    files[0]?.id ?? '',
  )
  called('getFileContent', `reads ${content.length} characters of the first`)

  await client.deleteItemByTitle(vaultId, 'Build server')
  called('deleteItemByTitle', 'removes the login')
  return calls
}
