/**
 * Replaces open-pglite.ts in the package, which is for production: PGlite would be a third of its size, and serves one
 * process only.
 */
export const hasPglite: boolean = false

/** @throws Error always */
export async function openPglite(_directory: string | null): Promise<never> {
  throw new Error(
    'this package has no PGlite. Set postgres://user:password@host:5432/database, or run control from a clone'
  )
}
