import fc from 'fast-check'
fc.configureGlobal({ interruptAfterTimeLimit: 300 })
