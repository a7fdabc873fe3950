import { adminCall, adminSend } from '../api/admin.ts'
import type { NoticeFeed } from '../notices/feed.ts'
import { operatorHeads } from '../ui/operator-heads.ts'
import { Bell } from './bell.tsx'

/** The bell of the operators' pages. Only operators load its code. */
export function OperatorBell() {
  return <Bell feed={operatorFeed} />
}

/** The events of the operators. */
export const operatorFeed: NoticeFeed = {
  key: ['admin', 'listEvents'],
  read: (query, signal) => adminSend('listEvents', { query }, signal),
  markRead: (id) => adminCall('markEventsSeen', { body: { id } }),
  isForOperators: true,
  page: '/dashboard/operator/notices',
  ...operatorHeads['/dashboard/operator/notices'],
  whenEmpty:
    'Failing providers, requests that failed over, unusual spend and disabled webhook endpoints will appear here.'
}
