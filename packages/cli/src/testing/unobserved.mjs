import module from 'node:module'

/**
 * Loaded first in the process of each test file. tap would watch every module that a test loads, to mock it or to measure
 * its coverage, and read all source maps. No test needs this: Node strips types in place. It took half of the time that a
 * small test file needs to start, and a quarter of a system test's time.
 */
const watching = /\/@tapjs\/(?:mock|processinfo)\/dist\/esm\/import\.mjs$/
const nothing = 'data:text/javascript,'

process.setSourceMapsEnabled(false)
module.registerHooks({
  resolve: (specifier, context, nextResolve) =>
    watching.test(specifier) ? { url: nothing, shortCircuit: true } : nextResolve(specifier, context)
})
// The programs that a test starts are not tests.
process.env.NODE_OPTIONS = `--import=${new URL('./quick-start.mjs', import.meta.url)}`
