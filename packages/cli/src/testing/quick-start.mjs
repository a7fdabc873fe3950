import module from 'node:module'
import v8 from 'node:v8'

/** Loaded before tests and the programs that they start. It shortens their start, because most run only briefly. */

// PGlite is 8 MB of WebAssembly. Optimizing its compiled code costs more time than a test gains.
v8.setFlagsFromString('--wasm-tiering-budget=2000000000')

/**
 * Node reads a package's `exports` again for each import from the package or within it (nodejs/node
 * `lib/internal/modules/package_json_reader.js`, 24.21). These packages have long lists of exports, or many files. That
 * took a third of the time to load control. Relative imports within them need no `exports`.
 */
const large = /\/node_modules\/(?:drizzle-orm|typebox|stripe\/esm)\//
/** The resolved imports of drizzle-orm, which has the longest list. The workspace has only one version of it. */
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
