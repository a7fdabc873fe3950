import { inArray, lt } from 'drizzle-orm'
import type { Orm } from '../database/connect.ts'
import { inSteps } from '../database/delete-in-steps.ts'
import { formerSecrets } from '../database/schema/keys.ts'

const rowsPerStep = 1000

/** Deletes former secrets that ended before a time. From then on they are `invalid_api_key`. @returns how many */
export function pruneFormerSecrets(orm: Orm, before: Date, isStopping = () => false): Promise<number> {
  return inSteps(rowsPerStep, isStopping, async () => {
    const some = orm
      .select({ digest: formerSecrets.digest })
      .from(formerSecrets)
      .where(lt(formerSecrets.diesAt, before))
      .orderBy(formerSecrets.diesAt)
      .limit(rowsPerStep)
      .for('update', { skipLocked: true })
    const deleted = await orm.delete(formerSecrets).where(inArray(formerSecrets.digest, some)).returning({
      digest: formerSecrets.digest
    })
    return deleted.length
  })
}
