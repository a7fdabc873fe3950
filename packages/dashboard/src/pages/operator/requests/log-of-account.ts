import { adminCall, adminSend } from '../../../api/admin.ts'
import { exportPath } from '../../requests/read-filters.ts'
import type { RequestLog } from '../../requests/request-log.ts'

/** The request log of any account, as operators read it. */
export const logOfAccount = (account: string): RequestLog => ({
  key: ['admin', 'listRequests', account],
  receipts: '/dashboard/operator/requests',
  hasProviders: true,
  list: (query, signal) => adminSend('listRequests', { query: { ...query, account } }, signal),
  checkExport: () => adminCall('checkExport'),
  exportPath: (search, format) => exportPath(search, format, account)
})
