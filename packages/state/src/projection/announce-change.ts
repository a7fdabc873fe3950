import { changesChannel } from '../keyspace/names.ts'
import { anyNode, type RedisLink } from '../link/redis-link.ts'

/** Says what changed. It is published on `changes`, and may be lost: nothing depends on its arrival. */
export type ChangeNotice =
  | { kind: 'catalog' }
  | { kind: 'free-offer' }
  | { kind: 'account'; account: string }
  | { kind: 'key'; account: string; key: string }

export async function announceChange(link: RedisLink, notice: ChangeNotice): Promise<void> {
  await anyNode(link).client.publish(changesChannel, JSON.stringify(notice))
}

/** The account that a notice on `changes` is about; null for a notice about something else, or of another release. */
export function changedAccount(text: string): string | null {
  try {
    const notice: unknown = JSON.parse(text)
    const isOfAccount = typeof notice === 'object' && notice !== null && 'account' in notice
    return isOfAccount && typeof notice.account === 'string' ? notice.account : null
  } catch {
    return null
  }
}
