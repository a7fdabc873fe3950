import type { EventData } from '@tollgate/contracts/events/event-types.ts'
import type { EventNotice } from '@tollgate/contracts/http/notices.ts'
import type { Answer } from '../../api/call.ts'
import { describeNotice, type ToldNotice } from '../../notices/describe-notice.ts'

export interface OpenAlert {
  readonly notice: EventNotice
  readonly words: ToldNotice
}

/**
 * The unread notices that ask for an action, newest first. Only the newest of each kind about the same key or endpoint
 * counts: at 80 % of a budget, nobody needs to read about 50 %. A suspension that has ended is no alert, and neither
 * are refusals that have.
 */
export function openAlerts(events: readonly EventNotice[]): OpenAlert[] {
  const subjects = new Set<string>()
  return events.flatMap((notice) => {
    if (notice.seen) return []
    // Events come newest first, so this is known before the suspension that it ended.
    if (notice.type === 'account.resumed') subjects.add(`account.suspended ${subjectOf(notice.data)}`)
    if (notice.type === 'requests.refused_ended') subjects.add(`requests.refused ${subjectOf(notice.data)}`)
    const alert = { notice, words: describeNotice(notice) }
    if (alert.words.tone === 'info') return []
    const subject = `${notice.type} ${subjectOf(notice.data)}`
    if (subjects.has(subject)) return []
    subjects.add(subject)
    return [alert]
  })
}

/**
 * The id of what an event is about (of refusals also their code, of budgets what they count), or the reason of a
 * suspension; empty for the account.
 */
function subjectOf(data: object): string {
  const { key, endpoint_id: endpoint, reason, code, window, models, member_id: member } = data as Subject
  if (code !== undefined) return `${key?.id} ${code}`
  if (window !== undefined) return `${key?.id} ${member} ${window} ${models}`
  return String(key?.id ?? endpoint ?? reason ?? '')
}

interface Subject {
  readonly key?: { readonly id?: unknown } | null
  readonly endpoint_id?: unknown
  readonly reason?: unknown
  readonly code?: unknown
  readonly window?: unknown
  readonly models?: unknown
  readonly member_id?: unknown
}

type Key = Pick<Answer<'getKey'>['key'], 'id' | 'status' | 'old_secret_until'>

/** The ids of the keys whose state decides whether alerts are still open. */
export const keysOfAlerts = (alerts: readonly OpenAlert[]): string[] =>
  alerts.flatMap(({ notice }) => (notice.type === 'key.grace_ending' ? [subjectOf(notice.data)] : []))

/**
 * Whether an alert is still open. No event tells that somebody ended an old value early, but the key does.
 *
 * @param keys as they are now, as far as they are known; null for a key that is gone
 */
export function isStillOpen({ notice }: OpenAlert, keys: ReadonlyMap<string, Key | null>, now: Date): boolean {
  if (notice.type !== 'key.grace_ending') return true
  const { old_secret_until: until } = notice.data as EventData<'key.grace_ending'>
  const key = keys.get(subjectOf(notice.data))
  const isCurrent = key === undefined || (key?.status === 'active' && key.old_secret_until === until)
  return isCurrent && new Date(until) > now
}
