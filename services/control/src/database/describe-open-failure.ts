import { DrizzleQueryError } from 'drizzle-orm'

/** SQLSTATEs that only the operator can repair, and the cures. */
const cures: Readonly<Record<string, string>> = {
  '28P01': 'Correct the user or password, or percent-encode their special characters (%40 for @)',
  '28000': 'Correct the user, or allow it in pg_hba.conf',
  '3D000': 'Create the database, or correct its name',
  '42501': 'Grant the user the rights that it lacks'
}

/**
 * Describes why the database could not be opened or migrated, with the cure if it is known. The text has no part of
 * `DATABASE_URL` besides the names of user, host and database.
 */
export function describeOpenFailure(error: unknown): string {
  const { code = '', message } = rootOf(error) as NodeJS.ErrnoException
  const cure = cures[code]
  return `DATABASE_URL: ${message || code}${cure === undefined ? '' : `. ${cure}`}`
}

function rootOf(error: unknown): unknown {
  const cause = error instanceof DrizzleQueryError ? error.cause : error
  return cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause
}
