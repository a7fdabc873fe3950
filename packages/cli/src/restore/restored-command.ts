import { compareRestored, type RedisState } from '@tollgate/control/restore/compare-restored.ts'
import { prepareRestored } from '@tollgate/control/restore/prepare-restored.ts'
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
      'Run it after pg_restore, before control starts. It ends all sessions, makes the comparisons with Supabase and Stripe due, and says whether Redis still knows what happened since the backup.',
    options: {},
    async run(input, io) {
      return withDatabase(io.env.DATABASE_URL, async ({ orm }) => {
        const redis = await readState(io.env.REDIS_URL, (link) => compareRestored(orm, link))
        const { endedSessions } = await prepareRestored(orm)
        show(input, io, { redis, ended_sessions: endedSessions }, () =>
          [`Ended ${endedSessions} sessions. Everybody has to sign in again.`, consequences[redis]].join('\n')
        )
        return exitCodes.done
      })
    }
  }
])

const consequences: Readonly<Record<RedisState, string>> = {
  later:
    'Redis has changes since the backup. Control will keep what Redis knows: revoked and rotated keys, this month’s spend, and usage of the last hours. Do not empty Redis.',
  'not later':
    'Redis has no changes since the backup. If keys were revoked or rotated since, their old secrets work again when control starts: revoke them again.',
  empty:
    'Redis is empty. Keys that were revoked or rotated since the backup work again when control starts: revoke them again. Spend since the backup does not count against caps.'
}

async function readState(
  url: string | undefined,
  read: (link: Awaited<ReturnType<typeof openRedis>>) => Promise<RedisState>
): Promise<RedisState> {
  if (!url) throw new UsageError('REDIS_URL is not set, in the environment or in .env.')
  try {
    const link = await openRedis(url, { name: 'tollgate-restored', silenceTimeoutMs: 5000, onError: () => {} })
    try {
      return await read(link)
    } finally {
      await link.close()
    }
  } catch (cause) {
    throw new CommandError(`REDIS_URL: ${(cause as Error).message} Nothing was changed.`, { cause })
  }
}
