import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { startCache } from '@tollgate/cli/testing/start-cache.mjs'
import { libraries } from './libraries.ts'

/** Bundles {@link libraries} once per installation, before the first test: see `packages/cli/src/testing/quick-start.mjs`. */
async function bundleLibraries(cache: string): Promise<void> {
  const target = join(cache, 'libraries.json')
  if (existsSync(target)) return
  const { rolldown } = await import('rolldown')
  const own = join(cache, `libraries.${process.pid}`)
  const input = Object.fromEntries(libraries.map((name) => [name.replace('/', '-'), name]))
  const control = fileURLToPath(new URL('../../../../services/control/', import.meta.url))
  const bundle = await rolldown({ cwd: control, platform: 'node', input })
  await bundle.write({ dir: own, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' })
  await bundle.close()
  const folder = join(cache, 'libraries')
  rmSync(folder, { recursive: true, force: true })
  renameSync(own, folder)
  const urls = libraries.map((name) => [name, pathToFileURL(join(folder, `${name.replace('/', '-')}.mjs`)).href])
  writeFileSync(`${target}.${process.pid}`, JSON.stringify(Object.fromEntries(urls)))
  renameSync(`${target}.${process.pid}`, target)
}

if (startCache !== null) {
  mkdirSync(startCache, { recursive: true })
  await bundleLibraries(startCache)
}
