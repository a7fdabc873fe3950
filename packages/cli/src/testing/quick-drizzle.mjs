import module from 'node:module'

/**
 * Loaded before the programs that tests start, and before the tests themselves. For every file of a package Node reads what
 * the package exports (nodejs/node `lib/internal/modules/package_json_reader.js`, 24.21). Drizzle names so much there that
 * this took a third of the time in which control is loaded. Its files import each other by their names, so they are found
 * without it.
 */
module.registerHooks?.({
  resolve(specifier, context, nextResolve) {
    const { parentURL, conditions } = context
    const isOfDrizzle = parentURL?.includes('/node_modules/drizzle-orm/') === true
    if (!isOfDrizzle || !specifier.startsWith('.') || !conditions.includes('import')) {
      return nextResolve(specifier, context)
    }
    return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
  }
})
