import module from 'node:module'
import v8 from 'node:v8'

/** Loaded before tests and the programs that they start. It shortens their start, because most run only briefly. */

// PGlite is 8 MB of WebAssembly. Optimizing its compiled code costs more time than a test gains.
v8.setFlagsFromString('--wasm-tiering-budget=2000000000')

/**
 * Whenever a file of a package, or the package itself, is looked up, Node reads anew what the package exports (nodejs/node
 * `lib/internal/modules/package_json_reader.js`, 24.21). These name much there or have many files: it was a third of the
 * time in which control is loaded. Their files import each other by their names, so they are found without it.
 */
const large = /\/node_modules\/(?:drizzle-orm|typebox|stripe\/esm)\//
/** What is imported of the one whose list is the longest; there is one version of it. */
const ofDrizzle = new Map()

module.registerHooks?.({
  resolve(specifier, context, nextResolve) {
    const { parentURL, conditions } = context
    if (!conditions.includes('import')) return nextResolve(specifier, context)
    if (/^drizzle-orm(\/|$)/.test(specifier)) {
      const found = ofDrizzle.get(specifier) ?? { ...nextResolve(specifier, context), shortCircuit: true }
      ofDrizzle.set(specifier, found)
      return found
    }
    const isFile = /^\..*\.m?js$/.test(specifier)
    if (!isFile || parentURL === undefined || !large.test(parentURL)) return nextResolve(specifier, context)
    return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
  }
})
