import { Link } from '@tanstack/react-router'
import { accountFeed } from '../../notices/feed.ts'
import { NoticesView } from '../../notices/notices-view.tsx'
import { textLink } from '../../ui/text-link.ts'

export function NoticesPage() {
  return (
    <NoticesView
      feed={accountFeed}
      description={
        <>
          What happened in your account.{' '}
          <Link to="/dashboard/account" hash="notifications" className={textLink}>
            Choose your mails and thresholds
          </Link>
        </>
      }
    />
  )
}
