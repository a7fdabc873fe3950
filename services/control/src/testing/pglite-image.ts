import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import manifest from '../../package.json' with { type: 'json' }
import { migrate } from '../database/migrate.ts'

export type PgliteImage = 'empty' | 'migrated'

const version = manifest.dependencies['@electric-sql/pglite']
const directory = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))
const migrations = new URL('../database/migrations/', import.meta.url)

/**
 * The files of a PGlite without anything in it, or with the tables of this release, for `openDatabase`: creating them takes
 * seconds of computing, which would be most of the time of many tests. Made once for each version of PGlite and each set of
 * migrations, and kept beside the dependencies.
 */
export async function pgliteImage(kind: PgliteImage): Promise<Blob> {
  const path = `${directory}pglite-${version}-${kind === 'empty' ? kind : hashMigrations()}.tar`
  try {
    return new Blob([readFileSync(path)])
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const database = await PGlite.create()
  if (kind === 'migrated') await migrate(drizzle(database))
  const image = await database.dumpDataDir('none')
  await database.close()
  mkdirSync(dirname(path), { recursive: true })
  // Another test may be doing the same: whoever renames last replaces equals by equals, never by half a file.
  const own = `${path}.${process.pid}`
  writeFileSync(own, Buffer.from(await image.arrayBuffer()))
  renameSync(own, path)
  return image
}

/** A directory with the files of the image `migrated`, kept like it: for programs. To be copied, not to be opened. */
export async function pgliteDirectory(): Promise<string> {
  const path = `${directory}pglite-${version}-${hashMigrations()}`
  if (existsSync(path)) return path
  const own = `${path}.${process.pid}`
  const database = await PGlite.create({ dataDir: own, loadDataDir: await pgliteImage('migrated') })
  await database.close()
  try {
    renameSync(own, path)
  } catch (error) {
    // Another test was quicker: a directory replaces only an empty one.
    if (!existsSync(path)) throw error
    rmSync(own, { recursive: true })
  }
  return path
}

/** Of all that decides what a migrated database is like. */
function hashMigrations(): string {
  const hash = createHash('sha256')
  const statements = readdirSync(migrations).filter((name) => name.endsWith('.sql'))
  for (const name of [...statements.sort(), 'meta/_journal.json', '../migrate.ts']) {
    hash.update(`${name}\0`).update(readFileSync(new URL(name, migrations)))
  }
  return hash.digest('hex').slice(0, 16)
}
