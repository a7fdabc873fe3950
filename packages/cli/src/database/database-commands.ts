import { type Database, openDatabase as open } from '@tollgate/control/database/connect.ts'
import { isDatabaseAway } from '@tollgate/control/database/database-away.ts'
import { listPendingMigrations, migrate as migrateDatabase } from '@tollgate/control/database/migrate.ts'
import { prepareRestored, type RedisComparison, recoverFromRedis } from '@tollgate/control/projection/restore.ts'
import { openRedis } from '@tollgate/state/link/first-contact.ts'
import { CommandError, exitCodes, UsageError } from '../commands/command.ts'
import { createCommand, show } from '../commands/create-command.ts'

const repetition =
  'This command ran before for this database, and control has not started since. It has compared Redis with the backup again. The audit log has the keys that the earlier run revoked and rotated.'

const consequences: Readonly<Record<RedisComparison, string>> = {
  later:
    'Redis has changes since the backup. What it knows is kept: revoked and rotated keys, this month’s spend, and usage of the last hours. Do not empty Redis.',
  'not later':
    'Redis has no changes since the backup. Has control started since the restore? Then all is done. Otherwise, REDIS_URL may lead to another Redis or to an older copy: correct it and repeat the command. If it is right, keys that were revoked or rotated since the backup work again when control starts: revoke them again.',
  empty:
    'Redis is empty. Keys that were revoked or rotated since the backup work again when control starts: revoke them again. Spend since the backup does not count against caps.'
}

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

export const restored = createCommand('restored', 'prepare a database that was restored from a backup', [
  {
    name: '',
    summary:
      'Run it after pg_restore, before control starts. It keeps what Redis knows about revoked and rotated keys, ends all sessions, and makes the comparisons with Supabase and Stripe due.',
    options: {},
    async run(input, io) {
      return withDatabase(io.env.DATABASE_URL, async ({ orm }) => {
        const { redis, kept, isRepeated } = await withRedis(io.env.REDIS_URL, (link) => recoverFromRedis(orm, link))
        const { endedSessions } = await prepareRestored(orm)
        const result = {
          redis,
          revoked: kept.revoked,
          rotated: kept.rotated,
          ended_sessions: endedSessions,
          repeated: isRepeated
        }
        show(input, io, result, () =>
          [
            `Ended ${endedSessions} sessions. Everybody has to sign in again.`,
            consequences[redis],
            ...(isRepeated ? [repetition] : []),
            ...(redis === 'later'
              ? [`Revoked again: ${kept.revoked.length} keys. Rotated again: ${kept.rotated.length}.`]
              : [])
          ].join('\n')
        )
        return exitCodes.done
      })
    }
  }
])

async function withRedis<Result>(
  url: string | undefined,
  work: (link: Awaited<ReturnType<typeof openRedis>>) => Promise<Result>
): Promise<Result> {
  if (!url) throw new UsageError('REDIS_URL is not set, in the environment or in .env.')
  try {
    const link = await openRedis(url, { name: 'tollgate-restored', silenceTimeoutMs: 5000, onError: () => {} })
    try {
      return await work(link)
    } finally {
      await link.close()
    }
  } catch (cause) {
    throw new CommandError(`REDIS_URL: ${(cause as Error).message} Repeat the command when this is corrected.`, {
      cause
    })
  }
}

/**
 * Opens the database of DATABASE_URL, runs `work` with it, and closes it.
 *
 * @throws CommandError that says what failed
 */
async function withDatabase<Result>(
  url: string | undefined,
  work: (database: Database) => Promise<Result>
): Promise<Result> {
  const database = await openDatabase(url)
  try {
    return await work(database)
  } catch (error) {
    throw error instanceof CommandError ? error : describeFailure(error)
  } finally {
    await database.close()
  }
}

async function openDatabase(url: string | undefined): Promise<Database> {
  if (!url) {
    throw new UsageError('DATABASE_URL is not set, in the environment or in .env. npm start migrates its own database.')
  }
  try {
    return await open(url, { poolSize: 1 })
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
