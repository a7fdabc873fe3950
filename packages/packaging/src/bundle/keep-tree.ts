import { basename, dirname, join, relative } from 'node:path'
import type { Plugin } from 'rolldown'

/** `new URL('./thread.ts', import.meta.url)`: a module that is started by its path. */
const startedByPath = /new URL\('(\.{1,2}\/[^']+\.ts)', import\.meta\.url\)/g
const metaUrl = /import\.meta\.url/g
const otherMeta = /import\.meta\.(?!url\b)\w+/

/**
 * Makes paths relative to `import.meta.url` work in the package. All files that a module reads have the same place in the
 * package as in the workspace, so the module gets the URL that it would have there. Modules that are started by path become
 * files in `lib`.
 *
 * @param root of the workspace
 * @param lib the folder of the bundled code in the package
 */
export function keepTree(root: string, lib: string): Plugin {
  return {
    name: 'keep-tree',
    transform(code, id) {
      if (id.includes('/node_modules/') || !/\.[mc]?[jt]s$/.test(id) || !code.includes('import.meta')) return null
      const path = relative(root, id)
      const other = otherMeta.exec(code)
      if (other !== null)
        throw new Error(`${path} uses ${other[0]}, which differs in the package. Use import.meta.url.`)
      const urlInPackage = `new URL(${JSON.stringify(relative(lib, path))}, import.meta.url).href`
      const changed = code
        .replace(startedByPath, (_all, target: string) => {
          const name = basename(target, '.ts')
          this.emitFile({ type: 'chunk', id: join(dirname(id), target), fileName: join(lib, `${name}.js`) })
          return `new URL('./${name}.js', __chunkUrl)`
        })
        .replace(metaUrl, urlInPackage)
        .replaceAll('__chunkUrl', 'import.meta.url')
      // No line moves, so the source map needs no change.
      return { code: changed, map: null }
    }
  }
}
