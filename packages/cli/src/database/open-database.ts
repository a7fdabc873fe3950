import { type Database, openDatabase as open } from '@tollgate/control/database/connect.ts'
import { isDatabaseAway } from '@tollgate/control/database/database-away.ts'
import { CommandError, UsageError } from '../commands/command-error.ts'
import { exitCodes } from '../commands/exit-codes.ts'

/** Opens the database of DATABASE_URL, runs `work` with it, and closes it. @throws CommandError that says what failed */
export async function withDatabase<Result>(
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
