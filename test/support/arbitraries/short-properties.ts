/** Stops every property after 300 ms: more runs than that do not kill a surviving mutant. */

import fc from 'fast-check'

fc.configureGlobal({ ...fc.readConfigureGlobal(), interruptAfterTimeLimit: 300 })
