/** The floor of importing the core: what it stands on, in the form in which it is imported there. */

import jsonpatch from 'fast-json-patch'
import * as z from 'zod'

export { jsonpatch, z }
