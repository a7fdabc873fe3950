import type { Plugin } from 'rolldown'

/**
 * Modules that libraries load if they are installed, and do without otherwise.
 * - `@napi-rs/nice` is native code. Piscina uses it to lower the priority of threads, which Tollgate does not.
 */
const optional = /^@napi-rs\/nice$/

/** Makes optional modules missing at run time, as if they were not installed. */
export function withoutOptional(): Plugin {
  return {
    name: 'without-optional',
    resolveId: (source) => (optional.test(source) ? `\0missing:${source}` : null),
    load: (id) =>
      id.startsWith('\0missing:')
        ? {
            code: `throw new Error(${JSON.stringify(`The package has no ${id.slice('\0missing:'.length)}.`)})`,
            moduleSideEffects: true
          }
        : null
  }
}
