import { type Database, openDatabase } from '@tollgate/control/database/connect.ts'
import { isDatabaseAway } from '@tollgate/control/database/database-away.ts'
import { listPendingMigrations, migrate as migrateDatabase } from '@tollgate/control/database/migrate.ts'
import { CommandError, UsageError } from '../commands/command-error.ts'
import { createCommand } from '../commands/create-command.ts'
import { exitCodes } from '../commands/exit-codes.ts'
import { show } from '../commands/show.ts'

export const migrate = createCommand('migrate', 'bring the database to the schema of this release', [
  {
    name: '',
    summary:
      'Applies the migrations that the database of DATABASE_URL lacks, all or none. Use a role that may change tables.',
    options: { check: { value: null, text: 'change nothing; exit with 1 if migrations are missing' } },
    async run(input, io) {
      const database = await open(io.env.DATABASE_URL)
      try {
        const pending = await listPendingMigrations(database.orm)
        if (input.has('check')) {
          show(input, io, { pending }, () =>
            pending.length === 0
              ? 'The database is up to date.'
              : `Missing: ${pending.join(', ')}. Run: npx tollgate migrate`
          )
          return pending.length === 0 ? exitCodes.done : exitCodes.failed
        }
        await migrateDatabase(database.orm)
        show(input, io, { applied: pending }, () =>
          pending.length === 0 ? 'The database was up to date.' : `Applied: ${pending.join(', ')}.`
        )
        return exitCodes.done
      } catch (error) {
        throw describeFailure(error)
      } finally {
        await database.close()
      }
    }
  }
])

async function open(url: string | undefined): Promise<Database> {
  if (!url) {
    throw new UsageError('DATABASE_URL is not set, in the environment or in .env. npm start migrates its own database.')
  }
  try {
    return await openDatabase(url, { poolSize: 1 })
  } catch (error) {
    throw new UsageError(`DATABASE_URL: ${(error as Error).message}`, error)
  }
}

function describeFailure(error: unknown): CommandError {
  const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
  if (isDatabaseAway(error)) {
    return new CommandError(`The database of DATABASE_URL cannot be reached (${code ?? message}).`, {
      exitCode: exitCodes.unreachable,
      cause: error
    })
  }
  const hint = code === '42501' ? ' Use the role that owns the tables: docs/operate/database-roles.md' : ''
  return new CommandError(`DATABASE_URL: ${message || code}. Nothing was changed.${hint}`, { cause: error })
}
