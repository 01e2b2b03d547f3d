/** Setup file of every test file: registers the checks of responses. */

import { checkResponses } from './checked-handlers.js'

checkResponses()
