/**
 * The collections of a vault service's records, except those of the vaults themselves
 * (docs/what-is-stored.md). A store must not depend on the service's code, so their names are
 * repeated here. No other file of the stores contains them.
 */

/** The collection of an activity log in the store. It is also its scope. */
export const activityCollection = 'activity'

/** The collection of the leases of OAuth grants. It is also their scope. */
export const leasesCollection = 'leases'

const itemsPrefix = 'items/'
const versionsPrefix = 'versions/'
const pendingBlobsPrefix = 'pending-blobs/'
const credentialsPrefix = 'credentials/'

/** Returns all collections that can contain records of a scope. */
export function collectionsOf(scope: string): readonly string[] {
  const prefixes = [itemsPrefix, versionsPrefix, pendingBlobsPrefix, credentialsPrefix]
  return [scope, ...prefixes.map((prefix) => prefix + scope)]
}

/** Returns true if the records of the collection are items. */
export function hasItems(collection: string): boolean {
  return collection.startsWith(itemsPrefix)
}

/** Returns true if the records of the collection list the credentials of a vault. */
export function hasCredentials(collection: string): boolean {
  return collection.startsWith(credentialsPrefix)
}

/**
 * Returns true if the records of the collection list blobs that are about to be added or removed.
 */
export function hasPendingBlobs(collection: string): boolean {
  return collection.startsWith(pendingBlobsPrefix)
}

/** Returns true if the records of the collection are older versions of items. */
export function hasVersions(collection: string): boolean {
  return collection.startsWith(versionsPrefix)
}
