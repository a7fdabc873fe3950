import module from 'node:module'

/**
 * Loaded first in the process of each test file. tap would watch every module that a test loads, to mock it or to
 * measure its coverage, and read all source maps. No test needs this: Node strips types in place. It took half of the
 * time that a small test file needs to start, and a quarter of a system test's time.
 */
const watching = /\/@tapjs\/(?:mock|processinfo)\/dist\/esm\/import\.mjs$/
const nothing = 'data:text/javascript,'

/**
 * tap follows each promise by async hooks, to know the test of an error that nobody catches. That takes a tenth of the
 * time of a group, which finds the file itself: see run-group.ts.
 */
const following = /(?:^|\/)async-hook-domain(?:$|\/)/
const follower = 'data:text/javascript,export class Domain { destroy() {} }'
const isGroup = /\/testing\/groups\/[^/]+$/.test(process.argv[1] ?? '')

process.setSourceMapsEnabled(false)
module.registerHooks({
  resolve(specifier, context, nextResolve) {
    if (watching.test(specifier)) return { url: nothing, shortCircuit: true }
    if (isGroup && following.test(specifier)) return { url: follower, shortCircuit: true }
    return nextResolve(specifier, context)
  }
})
// The programs that a test starts are not tests.
process.env.NODE_OPTIONS = `--import=${new URL('./quick-start.mjs', import.meta.url)}`
