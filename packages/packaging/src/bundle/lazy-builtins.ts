import { isBuiltin } from 'node:module'
import type { Plugin } from 'rolldown'

/** Begins the ids of Node's own modules. */
export const builtinPrefix = '\0builtin:'

/**
 * Gets Node's own modules by `process.getBuiltinModule`. An `import` reads all their exports, also those that Node loads on
 * demand: `node:http` then loads a second undici, `node:tls` all root certificates. That costs time and memory at every start.
 */
export function lazyBuiltins(): Plugin {
  return {
    name: 'lazy-builtins',
    // The bundler's own helpers are needed to read a replaced module.
    resolveId: (source, importer, { kind }) =>
      isBuiltin(source) && kind === 'import-statement' && !importer?.startsWith('\0')
        ? `${builtinPrefix}${source}`
        : null,
    load: (id) =>
      id.startsWith(builtinPrefix)
        ? `module.exports = process.getBuiltinModule(${JSON.stringify(id.slice(builtinPrefix.length))})`
        : null
  }
}
