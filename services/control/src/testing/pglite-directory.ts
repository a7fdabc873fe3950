import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import manifest from '../../package.json' with { type: 'json' }

/** `empty` has no tables, `migrated` those of this release. */
export type PgliteContent = 'empty' | 'migrated'

const version = manifest.dependencies['@electric-sql/pglite']
const cache = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))
const migrations = new URL('../database/migrations/', import.meta.url)

/** Copies that this process has made and not yet removed. */
const copies = new Set<string>()
process.once('exit', () => copies.forEach(removePgliteDirectory))

/**
 * Makes a directory for `pglite:<directory>` by copying one: creating a database takes seconds of CPU time, more than
 * many tests. The directory is removed when this process ends, or before.
 */
export async function newPgliteDirectory(content: PgliteContent): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-pglite-'))
  copies.add(directory)
  await copyPgliteDirectory(content, directory)
  return directory
}

export function removePgliteDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true })
  copies.delete(directory)
}

/** Writes the files of a new database to `target`. */
export async function copyPgliteDirectory(content: PgliteContent, target: string): Promise<void> {
  cpSync(await original(content), target, { recursive: true })
}

/** Makes what the other functions copy, which takes seconds. */
export async function makePgliteOriginals(): Promise<void> {
  await original('migrated')
}

/** Makes the original once for each version of PGlite and each set of migrations, in `node_modules/.cache`. */
async function original(content: PgliteContent): Promise<string> {
  const path = `${cache}pglite-${version}-${content === 'empty' ? content : hashMigrations()}`
  if (existsSync(path)) return path
  mkdirSync(cache, { recursive: true })
  const own = `${path}.${process.pid}`
  if (content === 'migrated') await copyPgliteDirectory('empty', own)
  // Loaded only here: most tests find the original made.
  const { PGlite } = await import('@electric-sql/pglite')
  const database = await PGlite.create({ dataDir: own })
  if (content === 'migrated') {
    const [{ drizzle }, { migrate }] = await Promise.all([
      import('drizzle-orm/pglite'),
      import('../database/migrate.ts')
    ])
    await migrate(drizzle(database))
  }
  await database.close()
  try {
    renameSync(own, path)
  } catch (error) {
    // Another test was faster: a rename only replaces an empty directory.
    if (!existsSync(path)) throw error
    rmSync(own, { recursive: true })
  }
  return path
}

/** Hashes everything that determines a migrated database. */
function hashMigrations(): string {
  const hash = createHash('sha256')
  const statements = readdirSync(migrations).filter((name) => name.endsWith('.sql'))
  for (const name of [...statements.sort(), 'meta/_journal.json', '../migrate.ts']) {
    hash.update(`${name}\0`).update(readFileSync(new URL(name, migrations)))
  }
  return hash.digest('hex').slice(0, 16)
}
