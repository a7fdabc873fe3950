// `npm start` loads this module into control's process, before control (`--import`). Control has the embedded database open, and no
// other process can open it. So demo data asks this module, by a file, to write dates that control's API cannot set.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { pathToFileURL } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import { type PastDates, type RunStatement, writePastDates } from './past-dates.ts'

/** The part of PGlite that is used here. Only control depends on PGlite. */
interface PGlite {
  readonly closed: boolean
  transaction(work: (tx: { query: RunStatement }) => Promise<void>): Promise<void>
}
type Create = (...given: unknown[]) => Promise<PGlite>

const pollMs = 200
const file = process.env.DEMO_DATES_FILE ?? ''

async function answer(database: PGlite): Promise<void> {
  try {
    const dates = JSON.parse(readFileSync(file, 'utf8')) as PastDates
    await database.transaction((tx) => writePastDates((text, parameters) => tx.query(text, parameters), dates))
  } catch (error) {
    writeFileSync(`${file}.failed`, String(error), { mode: 0o600 })
  }
  rmSync(file, { force: true })
}

function watch(database: PGlite): void {
  let isAnswering = false
  setInterval(async () => {
    if (isAnswering || database.closed || !existsSync(file)) return
    isAnswering = true
    await answer(database)
    isAnswering = false
  }, pollMs).unref()
}

/** The module that control imports, by its address: this package cannot import it by its name. */
async function importPglite(): Promise<{ PGlite: { create: Create } }> {
  const found = findPackageJSON(
    '@electric-sql/pglite',
    import.meta.resolve('@tollgate/control/database/open-pglite.ts')
  )
  if (found === undefined) throw new Error('PGlite is not installed')
  return await import(new URL('dist/index.js', pathToFileURL(found)).href)
}

if (isMainThread && file !== '') {
  // A request of an earlier run would be late.
  rmSync(file, { force: true })
  const { PGlite } = await importPglite()
  const create = PGlite.create
  // Control opens one database, and keeps it to itself.
  PGlite.create = async (...given) => {
    const database = await Reflect.apply(create, PGlite, given)
    watch(database)
    return database
  }
}
