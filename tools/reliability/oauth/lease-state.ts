/** The body of a lease's record. */

/** Returns the body of a lease in this state. */
export function toLeaseBody(state: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify({ state }))
}

/** Returns the state of a lease; an empty text if it has no record. */
export function readLeaseState(body: Uint8Array | undefined): string {
  return body === undefined ? '' : JSON.parse(new TextDecoder().decode(body)).state
}
