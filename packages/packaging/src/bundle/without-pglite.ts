import type { Plugin } from 'rolldown'

/** Replaces the module that opens PGlite: the package has none. */
export function withoutPglite(): Plugin {
  return {
    name: 'without-pglite',
    async resolveId(source, importer) {
      if (!source.endsWith('/open-pglite.ts') || importer === undefined) return null
      return this.resolve(source.replace('open-pglite.ts', 'without-pglite.ts'), importer)
    }
  }
}
