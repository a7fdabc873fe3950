import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { accountFeed, recentNotices } from '../../notices/feed.ts'
import { MarkReadButton } from '../../notices/mark-read-button.tsx'
import { NoticeRow } from '../../notices/notice-row.tsx'
import { Card } from '../../ui/card.tsx'
import { textLink } from '../../ui/text-link.ts'
import { openAlerts } from './open-alerts.ts'

const maxShown = 3

/** Unread notices that ask for an action. Nothing without any: the bell and its page say more. */
export function AlertsCard() {
  const { data } = useQuery(recentNotices(accountFeed))
  const alerts = data === undefined ? [] : openAlerts(data.events)
  if (data === undefined || alerts.length === 0) return null
  const more = alerts.length - maxShown
  return (
    <Card
      title="Needs your attention"
      isFlush
      actions={<MarkReadButton feed={accountFeed} newest={data.events[0]} unread={data.unread} size="small" />}
    >
      <ul aria-label="Alerts, newest first" className="divide-y divide-line">
        {alerts.slice(0, maxShown).map(({ notice, told }) => (
          <NoticeRow key={notice.id} notice={notice} told={told} />
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
