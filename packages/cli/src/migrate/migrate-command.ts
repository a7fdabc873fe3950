import { listPendingMigrations, migrate as migrateDatabase } from '@tollgate/control/database/migrate.ts'
import { createCommand } from '../commands/create-command.ts'
import { exitCodes } from '../commands/exit-codes.ts'
import { show } from '../commands/show.ts'
import { withDatabase } from '../database/open-database.ts'

export const migrate = createCommand('migrate', 'bring the database to the schema of this release', [
  {
    name: '',
    summary:
      'Applies the migrations that the database of DATABASE_URL lacks, all or none. Use a role that may change tables.',
    options: { check: { value: null, text: 'change nothing; exit with 1 if migrations are missing' } },
    async run(input, io) {
      return withDatabase(io.env.DATABASE_URL, async ({ orm }) => {
        const pending = await listPendingMigrations(orm)
        if (input.has('check')) {
          show(input, io, { pending }, () =>
            pending.length === 0
              ? 'The database is up to date.'
              : `Missing: ${pending.join(', ')}. Run: tollgate migrate`
          )
          return pending.length === 0 ? exitCodes.done : exitCodes.failed
        }
        await migrateDatabase(orm)
        show(input, io, { applied: pending }, () =>
          pending.length === 0 ? 'The database was up to date.' : `Applied: ${pending.join(', ')}.`
        )
        return exitCodes.done
      })
    }
  }
])
