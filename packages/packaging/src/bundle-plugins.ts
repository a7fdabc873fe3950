import { basename, dirname, join, relative } from 'node:path'
import type { Plugin } from 'rolldown'

/** `new URL('./thread.ts', import.meta.url)`: a module that is started by its path. */
const startedByPath = /new URL\('(\.{1,2}\/[^']+\.ts)', import\.meta\.url\)/g

const metaUrl = /import\.meta\.url/g
const otherMeta = /import\.meta\.(?!url\b)\w+/

const id = '\0undici-core'
/** What Tollgate uses of undici, and the file of each part. */
const parts = {
  Agent: 'dispatcher/agent.js',
  Client: 'dispatcher/client.js',
  Pool: 'dispatcher/pool.js',
  errors: 'core/errors.js'
}

/**
 * Replaces undici by the parts that Tollgate uses. Its own index loads everything, also `fetch`, WebSocket and mocks:
 * another 13 MB of memory in each gateway. The build fails if Tollgate imports another part.
 */
export function undiciCore(): Plugin {
  let index = ''
  return {
    name: 'undici-core',
    async resolveId(source, importer) {
      if (source !== 'undici' || importer === undefined || importer.includes('/node_modules/')) return null
      index = (await this.resolve(source, importer, { skipSelf: true }))!.id
      return id
    },
    load(loaded) {
      if (loaded !== id) return null
      const from = (file: string) => `from ${JSON.stringify(join(dirname(index), 'lib', file))}`
      return [
        `import Dispatcher ${from('dispatcher/dispatcher.js')}`,
        `import * as api ${from('api/index.js')}`,
        // As undici's index does.
        'Object.assign(Dispatcher.prototype, { request: api.request })',
        ...Object.entries(parts).map(([name, file]) => `export { default as ${name} } ${from(file)}`)
      ].join('\n')
    }
  }
}

/**
 * Makes paths relative to `import.meta.url` work in the package. All files that a module reads have the same place in
 * the package as in the workspace, so the module gets the URL that it would have there. Modules that are started by
 * path become files in `lib`.
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
