import { prepareRestored } from '@tollgate/control/restore/prepare-restored.ts'
import { type RedisComparison, recoverFromRedis } from '@tollgate/control/restore/recover-from-redis.ts'
import { openRedis } from '@tollgate/state/link/first-contact.ts'
import { CommandError, UsageError } from '../commands/command-error.ts'
import { createCommand } from '../commands/create-command.ts'
import { exitCodes } from '../commands/exit-codes.ts'
import { show } from '../commands/show.ts'
import { withDatabase } from '../database/open-database.ts'

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
