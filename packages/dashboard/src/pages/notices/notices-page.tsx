import { Link } from '@tanstack/react-router'
import { accountFeed } from '../../notices/feed.ts'
import { NoticesView } from '../../notices/notices-view.tsx'
import { buttonLook } from '../../ui/button.tsx'

export function NoticesPage() {
  return (
    <NoticesView
      feed={accountFeed}
      settings={
        <Link to="/dashboard/account" hash="notifications" className={buttonLook()}>
          Choose mails and thresholds
        </Link>
      }
    />
  )
}
