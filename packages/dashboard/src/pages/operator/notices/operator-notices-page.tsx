import { NoticesView } from '../../../notices/notices-view.tsx'
import { operatorFeed } from './operator-feed.ts'

export function OperatorNoticesPage() {
  return <NoticesView feed={operatorFeed} />
}
