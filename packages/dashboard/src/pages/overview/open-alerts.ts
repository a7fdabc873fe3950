import type { EventNotice } from '@tollgate/contracts/http/notices.ts'
import { describeNotice, type ToldNotice } from '../../notices/describe-notice.ts'

export interface OpenAlert {
  readonly notice: EventNotice
  readonly told: ToldNotice
}

/**
 * The unread notices that ask for an action, newest first. Only the newest of each kind about the same key or endpoint counts:
 * at 80 % of a budget, nobody needs to read about 50 %.
 */
export function openAlerts(events: readonly EventNotice[]): OpenAlert[] {
  const told = new Set<string>()
  return events.flatMap((notice) => {
    if (notice.seen) return []
    const alert = { notice, told: describeNotice(notice) }
    if (alert.told.tone === 'info') return []
    const subject = `${notice.type} ${subjectOf(notice.data)}`
    if (told.has(subject)) return []
    told.add(subject)
    return [alert]
  })
}

/** The id of what an event is about; empty for the account. */
function subjectOf(data: object): string {
  const { key, endpoint_id: endpoint } = data as { key?: { id?: unknown } | null; endpoint_id?: unknown }
  return String(key?.id ?? endpoint ?? '')
}
