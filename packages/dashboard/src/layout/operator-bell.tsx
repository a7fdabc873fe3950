import { operatorFeed } from '../pages/operator/notices/operator-feed.ts'
import { Bell } from './bell.tsx'

/** The bell of the operators' pages. Only operators load its code. */
export function OperatorBell() {
  return <Bell feed={operatorFeed} />
}
