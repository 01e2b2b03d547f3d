/** Serves the vaults of seed.json at OP_CONNECT_HOST, as 1Password Connect would. */

import { readFileSync } from 'node:fs'
import { connectDialect } from 'cofferkit/connect'
import { createTestVault, parseSeed } from 'cofferkit/testing'

const { OP_CONNECT_HOST = 'http://127.0.0.1:8080' } = process.env
const seed = parseSeed(JSON.parse(readFileSync('seed.json', 'utf8')))
const vault = await createTestVault({ seed, dialect: connectDialect })
const { origin } = await vault.listen(Number(new URL(OP_CONNECT_HOST).port))
console.log(`listening at ${origin}, token ${vault.tokens.full}`)
