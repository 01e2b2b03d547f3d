/** Cuts every property short: a mutant that survives so many cases in this time is not found by more of them. */

import fc from 'fast-check'

fc.configureGlobal({ interruptAfterTimeLimit: 300 })
