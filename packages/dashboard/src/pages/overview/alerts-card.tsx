import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { allowGone } from '../../api/api-error.ts'
import { send } from '../../api/call.ts'
import { now } from '../../api/clock.ts'
import { accountFeed, recentNotices } from '../../notices/feed.ts'
import { MarkReadButton, NoticeRow } from '../../notices/notice-row.tsx'
import { Card } from '../../ui/card.tsx'
import { textLink } from '../../ui/class-names.ts'
import { isStillOpen, keysOfAlerts, openAlerts } from './open-alerts.ts'

const maxShown = 3

/** Unread notices that ask for an action. Nothing without any: the bell and its page say more. */
export function AlertsCard() {
  const { data } = useQuery(recentNotices(accountFeed))
  const unread = data === undefined ? [] : openAlerts(data.events)
  const ids = keysOfAlerts(unread)
  const keys = useQuery({
    // Like the key of a single one's answer: a change of a key refreshes this too.
    queryKey: ['getKey', ids],
    queryFn: async ({ signal }) => new Map(await Promise.all(ids.map((id) => readKey(id, signal)))),
    enabled: ids.length > 0
  })
  // Without the keys, their alerts stay.
  const alerts = keys.isLoading ? [] : unread.filter((alert) => isStillOpen(alert, keys.data ?? new Map(), now()))
  if (data === undefined || alerts.length === 0) return null
  const more = alerts.length - maxShown
  return (
    <Card
      title="Needs your attention"
      isFlush
      actions={<MarkReadButton feed={accountFeed} newest={data.events[0]} unread={data.unread} size="small" />}
    >
      <ul aria-label="Alerts, newest first" className="divide-y divide-line">
        {alerts.slice(0, maxShown).map(({ notice, words }) => (
          <NoticeRow key={notice.id} notice={notice} words={words} />
        ))}
      </ul>
      {more > 0 && (
        <p className="border-t border-line px-5 py-3 text-sm">
          <Link to={accountFeed.page} className={textLink}>
            See {more} more
          </Link>
        </p>
      )}
    </Card>
  )
}

const readKey = async (id: string, signal: AbortSignal) =>
  [id, (await send('getKey', { params: { id } }, signal).catch(allowGone))?.key ?? null] as const
