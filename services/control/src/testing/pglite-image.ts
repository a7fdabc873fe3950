import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import manifest from '../../package.json' with { type: 'json' }

const version = manifest.dependencies['@electric-sql/pglite']
const path = fileURLToPath(new URL(`../../node_modules/.cache/pglite-${version}.tar`, import.meta.url))

/**
 * The files of an empty PGlite, for `openDatabase`: creating them takes seconds of computing, which would be most of the
 * time of many tests. Made once for each version of PGlite and kept beside the dependencies.
 */
export async function emptyPgliteImage(): Promise<Blob> {
  try {
    return new Blob([readFileSync(path)])
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const database = await PGlite.create()
  const image = await database.dumpDataDir('none')
  await database.close()
  mkdirSync(dirname(path), { recursive: true })
  // Another test may be doing the same: whoever renames last replaces equals by equals, never by half a file.
  const own = `${path}.${process.pid}`
  writeFileSync(own, Buffer.from(await image.arrayBuffer()))
  renameSync(own, path)
  return image
}
