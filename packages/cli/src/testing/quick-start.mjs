import module from 'node:module'
import v8 from 'node:v8'
import { readLibraries, readResolved, root, saveResolved } from './start-cache.mjs'

/** Loaded before tests and the programs that they start. It shortens their start, because most run only briefly. */

// PGlite is 8 MB of WebAssembly. Optimizing its compiled code costs more time than a test gains.
v8.setFlagsFromString('--wasm-tiering-budget=2000000000')

/**
 * Node looks for the package of each import, reads its `exports` again (nodejs/node
 * `lib/internal/modules/package_json_reader.js`, 24.21), and then for each module the package.json that tells its
 * format. That took a third of the time to load control. So this remembers the imports of packages across processes,
 * and resolves relative imports, which name files in ES modules, by URL alone.
 */
const resolved = readResolved()
/** Libraries of many files, which `packages/packaging/src/testing/prepare-tests.ts` makes a few. */
const libraries = readLibraries()

const isRelative = /^\.\.?\/.*\.(?:ts|js|mjs|json)$/
const isPackage = /^[@a-z][^:]*$/i
/** The directory of a package: its imports of the same name lead to the same file. */
const packageDirectory = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+|^.*?\/(?:packages|services)\/[^/]+/
/** Packages with so many files that it pays to tell their format. */
const areModules = /\/node_modules\/(?:drizzle-orm|typebox|stripe\/esm)\//

module.registerHooks?.({
  resolve(specifier, context, nextResolve) {
    const { parentURL, conditions } = context
    // Other releases, which tests start too, have other files.
    if (!parentURL?.startsWith(root) || !conditions.includes('import')) return nextResolve(specifier, context)
    if (isRelative.test(specifier))
      return { url: new URL(specifier, parentURL).href, ...formatOf(specifier, parentURL) }
    if (!isPackage.test(specifier)) return nextResolve(specifier, context)
    const bundled = libraries[specifier]
    if (bundled !== undefined) return { url: bundled, format: 'module', shortCircuit: true }
    const [directory] = packageDirectory.exec(parentURL) ?? []
    if (directory === undefined) return nextResolve(specifier, context)
    const known = resolved.find(directory, specifier)
    if (known !== undefined) return { ...known, shortCircuit: true }
    const { url, format } = nextResolve(specifier, context)
    if (url.startsWith('file:')) resolved.add(directory, specifier, { url, format })
    return { url, format, shortCircuit: true }
  }
})
process.once('exit', () => saveResolved(resolved))

function formatOf(specifier, parentURL) {
  if (specifier.endsWith('.ts')) return { format: 'module-typescript', shortCircuit: true }
  if (areModules.test(parentURL)) return { format: 'module', shortCircuit: true }
  return { shortCircuit: true }
}
