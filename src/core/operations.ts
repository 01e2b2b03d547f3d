/** The list of operations. */

import { listActivity } from './activity/list-activity.js'
import { attachFile } from './files/attach-file.js'
import { getFileDetails } from './files/get-file-details.js'
import { listFiles } from './files/list-files.js'
import { readFileContent } from './files/read-file-content.js'
import { removeFile } from './files/remove-file.js'
import { createItem } from './items/create-item.js'
import { deleteItem } from './items/delete-item.js'
import { describeItem } from './items/describe-item.js'
import { getField } from './items/get-field.js'
import { getItem } from './items/get-item.js'
import { getItems } from './items/get-items.js'
import { listItems } from './items/list-items.js'
import { patchItem } from './items/patch-item.js'
import { regenerateField } from './items/regenerate-field.js'
import { replaceItem } from './items/replace-item.js'
import { setItemState } from './items/set-item-state.js'
import { useField } from './items/use-field.js'
import type { AnyOperation } from './operation/define-operation.js'
import type { MethodName } from './vault-service.js'
import { collectGarbage } from './vaults/collect-garbage.js'
import { createVault } from './vaults/create-vault.js'
import { deleteVault } from './vaults/delete-vault.js'
import { getVault } from './vaults/get-vault.js'
import { listVaults } from './vaults/list-vaults.js'
import { updateVault } from './vaults/update-vault.js'
import { getVersion } from './versions/get-version.js'
import { listVersions } from './versions/list-versions.js'
import { restoreVersion } from './versions/restore-version.js'

/** Every operation of the service, by name. The names are those of `VaultOperations`. */
export const operations = {
  listVaults,
  createVault,
  getVault,
  updateVault,
  deleteVault,
  listItems,
  createItem,
  getItem,
  getField,
  useField,
  describeItem,
  getItems,
  replaceItem,
  patchItem,
  regenerateField,
  deleteItem,
  setItemState,
  attachFile,
  removeFile,
  listFiles,
  getFileDetails,
  readFileContent,
  listVersions,
  getVersion,
  restoreVersion,
  collectGarbage,
  listActivity,
} satisfies Record<MethodName, AnyOperation>
