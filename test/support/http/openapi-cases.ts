/** HTTP contract cases that a validating proxy cannot pass on, or reports. */

/** Cases whose requests the proxy changes or handles itself, with the reason. */
export const unsupportedByProxy: Readonly<Record<string, string>> = {
  'ignores a trailing slash and a doubled leading slash':
    'reads a trailing slash as an empty parameter',
  'lists only the vaults that the caller can read': 'reads a trailing slash as an empty parameter',
  'returns the headers of GET without the body for HEAD':
    'does not support HEAD where only GET is described',
  'returns 401 for two Authorization headers, although both are valid': 'passes on one of the two',
  'returns 400 for invalid items, with the path and without the value':
    'serializes JSON again, and rejects a string or null',
  'never resolves an unusual target to another resource': 'normalises the target',
  'returns 400 for bodies that are not JSON in UTF-8': 'reads the body itself',
  'returns 400 for bodies of more than 32 levels, however many': 'crashes on a deep body',
  'returns 413 for a body over the limit, declared or counted': 'waits for the whole body',
  'accepts a body of exactly the limit, whole or chunked': 'serializes JSON again',
  'returns 415 for another content type, charset or encoding, and reads a body without a type as JSON':
    'adds a content type where it is missing',
}

/**
 * Cases with requests that violate the document, with the violation. Their responses are checked.
 */
export const undescribedRequests: Readonly<Record<string, string>> = {
  'returns a page of the activity log with its Content-Range': 'a limit that is not a number',
  'returns 401 with WWW-Authenticate without valid credentials': 'no token',
  'returns 404 with the type and id of the missing resource': 'the id of a file',
  'returns 400 for malformed ids, even without the permission': 'the ids',
  'applies no operation of a patch with an invalid operation, and returns its index': 'an op',
  'returns 404 for unknown paths and 405 with Allow for unsupported methods':
    'the paths and methods',
  'returns 400 for an inline_files that is not true or false, or is repeated': 'the parameter',
  'sends its headers with every response, including errors': 'a path, and the id of a file',
  'serves the next request on a connection after a rejected one, whether its body was read or not':
    'no token',
}
