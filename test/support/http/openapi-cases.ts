/** Which cases of the contract of HTTP a proxy that compares requests and answers with a document can be asked. */

/** Cases that the proxy does not pass on as they are, and why. */
export const notPassedOn: Readonly<Record<string, string>> = {
  'takes a trailing slash and a doubled leading one for the same place':
    'takes a trailing slash for an empty parameter',
  'lists the vaults that the caller may read, and no others':
    'takes a trailing slash for an empty parameter',
  'answers HEAD as GET, without the body': 'knows no HEAD where only GET is described',
  'answers 401 to two Authorization headers, though both are right': 'passes on one of the two',
  'answers 400 to bodies that are no item, and says where without saying what':
    'writes JSON anew, and a text or null as no JSON',
  'never takes an odd target for another resource': 'normalises the target',
  'answers 400 to bodies that are no JSON in UTF-8': 'reads the body itself',
  'answers 400 to a body of more than 32 levels, however many': 'falls over a deep body',
  'answers 413 to a body over the limit, announced or counted': 'waits for the whole body',
  'takes a body of exactly the limit, in one piece or in many': 'writes JSON anew',
  'answers 415 to another content type, charset or encoding, and reads a body without a type as JSON':
    'writes a type of its own where there is none',
}

/** Cases whose requests are not all as the document says, and in what: the answers are compared all the same. */
export const notDescribed: Readonly<Record<string, string>> = {
  'answers a part of the activity log with its Content-Range': 'a limit that is no number',
  'answers 401 with WWW-Authenticate to whom it does not know': 'no token',
  'answers 404 for what is not there, and names it': 'the id of a file',
  'answers 400 to malformed ids, also to whom is not let in': 'the ids',
  'applies no operation of a patch of which one is bad, and names that one': 'an op',
  'answers 404 to unknown paths and 405 with Allow to methods that a path does not have':
    'the paths and methods',
  'answers 400 to an inline_files that is neither true nor false, or given twice': 'the parameter',
  'sends its headers with every answer, errors too': 'a path, and the id of a file',
  'answers the next request of a connection after each refusal, read or unread': 'no token',
}
