/** Imports of the documentation, for modules in `test/integrations`. */

/** Pages import examples as a program in the root of the project does. */
export const fromHere = (text: string): string =>
  text
    .replaceAll("'./examples/", "'../../examples/")
    .replaceAll(/'(?:@aws-sdk|@azure|@google-cloud)\/[\w-]+'/g, "'./support/kms-packages.js'")
