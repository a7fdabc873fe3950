import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { readLibraries, startCache } from '@tollgate/cli/testing/start-cache.mjs'
import { generateSources } from '@tollgate/dashboard/build/generated-sources.ts'
import { findPostgres } from '@tollgate/sandbox/postgres/find-postgres.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import type { Plugin } from 'rolldown'
import { kept, libraries } from './libraries.ts'

const names = Object.keys(libraries)
/** The module that an import of a library gets: the start of its id in the bundle. */
const entry = '\0entry:'

/** Resolves libraries as the workspace's packages do. Bundled and other modules share the files of {@link kept}. */
const asInWorkspace: Plugin = {
  name: 'as-in-workspace',
  async resolveId(source, importer) {
    if (source.startsWith(entry)) return source
    if (importer?.startsWith(entry)) return this.resolve(source, importerOf(source), { skipSelf: true })
    if (!kept.includes(source)) return null
    const resolved = await this.resolve(source, importer, { skipSelf: true })
    return resolved === null ? null : { id: resolved.id, external: 'absolute' }
  },
  async load(id) {
    if (!id.startsWith(entry)) return null
    const name = id.slice(entry.length).replace(/\.mjs$/, '')
    const resolved = await this.resolve(name, importerOf(name))
    const { 'module.exports': isCommonJs, ...members } = await import(pathToFileURL(resolved!.id).href)
    return isCommonJs === undefined ? exportsOfModule(name, members) : exportsOfCommonJs(name, members)
  }
}

/** A file whose imports find the library. */
const importerOf = (name: string): string => workspaceFile(join(libraries[name]!, 'index.js'))

const exportsOfModule = (name: string, members: object): string =>
  `export * from '${name}'${'default' in members ? `\nexport { default } from '${name}'` : ''}`

/** Node finds the members of a CommonJS module in its text, the bundle does not. */
function exportsOfCommonJs(name: string, { default: _, ...members }: Record<string, unknown>): string {
  return `import library from '${name}'\nexport default library\nexport const { ${Object.keys(members).join(', ')} } = library`
}

/** A bundled module finds the files beside it by the place that it had before. */
const ownPlaces: Plugin = {
  name: 'own-places',
  transform: (code, id) => {
    if (!code.includes('import.meta.url')) return null
    return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
  }
}

/**
 * Bundles {@link libraries} once per installation, before the first test: see
 * `packages/cli/src/testing/quick-start.mjs`.
 */
async function bundleLibraries(cache: string): Promise<void> {
  const target = join(cache, 'libraries.json')
  if (isDeepStrictEqual(Object.keys(readLibraries()), names)) return
  const { rolldown } = await import('rolldown')
  const own = join(cache, `libraries.${process.pid}`)
  const input = Object.fromEntries(names.map((name) => [fileOf(name), `${entry}${name}.mjs`]))
  const bundle = await rolldown({ platform: 'node', input, plugins: [asInWorkspace, ownPlaces] })
  const entryFileNames = '[name].mjs'
  await bundle.write({ dir: own, format: 'esm', entryFileNames, chunkFileNames: '[name]-[hash].mjs' })
  await bundle.close()
  const folder = join(cache, 'libraries')
  rmSync(folder, { recursive: true, force: true })
  renameSync(own, folder)
  const urls = names.map((name) => [name, pathToFileURL(join(folder, `${fileOf(name)}.mjs`)).href])
  writeFileSync(`${target}.${process.pid}`, JSON.stringify(Object.fromEntries(urls)))
  renameSync(`${target}.${process.pid}`, target)
}

/** Files in this folder are not shown in the stack of a failed test. */
const ownFolderOfTap = 'node_modules/@tapjs'

const fileOf = (name: string): string => (name === 'tap' ? `${ownFolderOfTap}/tap` : name.replaceAll('/', '-'))

// What the tests need is made here once, where several processes would make it at the same time. Tests of the dashboard
// import these.
await generateSources()
if (startCache !== null) {
  mkdirSync(startCache, { recursive: true })
  await bundleLibraries(startCache)
}
// Without PostgreSQL, most tests of control copy these.
if (findPostgres(process.env) === null) {
  const { makePgliteOriginals } = await import('@tollgate/control/testing/pglite-directory.ts')
  await makePgliteOriginals()
}
