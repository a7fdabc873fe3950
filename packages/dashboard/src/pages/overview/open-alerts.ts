import type { EventNotice } from '@tollgate/contracts/http/notices.ts'
import { describeNotice, type ToldNotice } from '../../notices/describe-notice.ts'

export interface OpenAlert {
  readonly notice: EventNotice
  readonly told: ToldNotice
}

/**
 * The unread notices that ask for an action, newest first. Only the newest of each kind about the same key or endpoint counts:
 * at 80 % of a budget, nobody needs to read about 50 %. A suspension that has ended is no alert.
 */
export function openAlerts(events: readonly EventNotice[]): OpenAlert[] {
  const told = new Set<string>()
  return events.flatMap((notice) => {
    if (notice.seen) return []
    // Events come newest first, so this is known before the suspension that it ended.
    if (notice.type === 'account.resumed') told.add(`account.suspended ${subjectOf(notice.data)}`)
    const alert = { notice, told: describeNotice(notice) }
    if (alert.told.tone === 'info') return []
    const subject = `${notice.type} ${subjectOf(notice.data)}`
    if (told.has(subject)) return []
    told.add(subject)
    return [alert]
  })
}

/** The id of what an event is about, or the reason of a suspension; empty for the account. */
function subjectOf(data: object): string {
  const { key, endpoint_id: endpoint, reason } = data as Subject
  return String(key?.id ?? endpoint ?? reason ?? '')
}

interface Subject {
  readonly key?: { readonly id?: unknown } | null
  readonly endpoint_id?: unknown
  readonly reason?: unknown
}
