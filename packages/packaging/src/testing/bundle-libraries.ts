import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { readLibraries, startCache } from '@tollgate/cli/testing/start-cache.mjs'
import { libraries } from './libraries.ts'

/** A bundled module finds the files beside it by the URL that it had before. */
const ownUrls = {
  name: 'own-urls',
  transform: (code: string, id: string) =>
    code.includes('import.meta.url') ? code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)) : null
}

/** Bundles {@link libraries} once per installation, before the first test: see `packages/cli/src/testing/quick-start.mjs`. */
async function bundleLibraries(cache: string): Promise<void> {
  const target = join(cache, 'libraries.json')
  if (isDeepStrictEqual(Object.keys(readLibraries()), [...libraries])) return
  const { rolldown } = await import('rolldown')
  const own = join(cache, `libraries.${process.pid}`)
  const input = Object.fromEntries(libraries.map((name) => [name.replace('/', '-'), name]))
  const control = fileURLToPath(new URL('../../../../services/control/', import.meta.url))
  const bundle = await rolldown({ cwd: control, platform: 'node', input, plugins: [ownUrls] })
  // tap leaves out its own lines of a stack by this folder.
  const entryFileNames = 'node_modules/[name]/index.mjs'
  await bundle.write({ dir: own, format: 'esm', entryFileNames, chunkFileNames: '[name]-[hash].mjs' })
  await bundle.close()
  const folder = join(cache, 'libraries')
  rmSync(folder, { recursive: true, force: true })
  renameSync(own, folder)
  const fileOf = (name: string) => join(folder, 'node_modules', name.replace('/', '-'), 'index.mjs')
  const urls = libraries.map((name) => [name, pathToFileURL(fileOf(name)).href])
  writeFileSync(`${target}.${process.pid}`, JSON.stringify(Object.fromEntries(urls)))
  renameSync(`${target}.${process.pid}`, target)
}

if (startCache !== null) {
  mkdirSync(startCache, { recursive: true })
  await bundleLibraries(startCache)
}
