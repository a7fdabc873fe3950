import type { Orm } from '../database/connect.ts'
import { readDatabaseTime } from './database-time.ts'

/**
 * Reads a time that is the same for all replicas, whatever their own clocks say. Leases, and when something is due, are judged by it:
 * else a replica whose clock is ahead would repeat what another one is still doing. @throws the query's error
 */
export type SharedTime = () => Promise<Date>

/** PostgreSQL's time. */
export const databaseTime =
  (orm: Orm): SharedTime =>
  async () =>
    new Date(await readDatabaseTime(orm))
