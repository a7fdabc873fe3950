import { fileURLToPath } from 'node:url'

/** The folder of the migrations of this release. */
export const migrationsFolder = fileURLToPath(new URL('migrations', import.meta.url))
