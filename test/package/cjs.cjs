/** Uses the installed package as CommonJS modules. */

const { checkSubpaths, subpathNames } = require('./check-subpaths.cjs')

const specifierOf = (name) => (name === 'index' ? 'cofferkit' : `cofferkit/${name}`)
const loaded = Object.fromEntries(subpathNames.map((name) => [name, require(specifierOf(name))]))

checkSubpaths(loaded).then(() => console.log(`CommonJS works on Node ${process.version}`))
