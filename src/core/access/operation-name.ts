/**
 * The names of operations. They are written out, because the service's public interface uses them.
 */

/**
 * The name of an operation in `can`, `around`, events and entries of the activity log. It is the
 * name of a method of the service, or an operation of `cofferkit/credentials` or `cofferkit/oauth`.
 */
export type OperationName =
  | 'listVaults'
  | 'createVault'
  | 'getVault'
  | 'updateVault'
  | 'deleteVault'
  | 'listItems'
  | 'createItem'
  | 'getItem'
  | 'getField'
  | 'useField'
  | 'describeItem'
  | 'getItems'
  | 'replaceItem'
  | 'patchItem'
  | 'regenerateField'
  | 'deleteItem'
  | 'setItemState'
  | 'attachFile'
  | 'removeFile'
  | 'listFiles'
  | 'getFileDetails'
  | 'readFileContent'
  | 'listVersions'
  | 'getVersion'
  | 'restoreVersion'
  | 'collectGarbage'
  | 'listActivity'
  | 'saveCredential'
  | 'describeCredential'
  | 'listCredentials'
  | 'verifyCredential'
  | 'revealCredential'
  | 'removeCredential'
  | 'saveGrant'
  | 'loadGrant'
  | 'listGrants'
  | 'refreshGrant'
