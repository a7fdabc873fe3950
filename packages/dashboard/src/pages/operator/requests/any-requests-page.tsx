import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { AdminAccount } from '@tollgate/contracts/http/admin/accounts.ts'
import { adminCall, adminRead, adminSend } from '../../../api/admin.ts'
import { isCode } from '../../../api/api-error.ts'
import { nameOfKey } from '../../../format/key.ts'
import { BackLink } from '../../../ui/back-link.tsx'
import { Card } from '../../../ui/card.tsx'
import { Choice } from '../../../ui/choice.tsx'
import { Page } from '../../../ui/page.tsx'
import { QueryView } from '../../../ui/states.tsx'
import { exportPath } from '../../requests/read-filters.ts'
import type { FilterChoices } from '../../requests/request-filters.tsx'
import type { RequestLog } from '../../requests/request-log.ts'
import { RequestsView } from '../../requests/requests-view.tsx'
import { nameOfAccount } from '../describe-account.ts'

/** The request log of any account, as operators read it. */
const logOfAccount = (account: string): RequestLog => ({
  key: ['admin', 'listRequests', account],
  receipts: '/dashboard/operator/requests',
  hasProviders: true,
  list: (query, signal) => adminSend('listRequests', { query: { ...query, account } }, signal),
  checkExport: () => adminCall('checkExport'),
  exportPath: (search, format) => exportPath(search, format, account)
})

const path = '/dashboard/operator/accounts/$id/requests'
const title = 'Requests of an account'

/** Every request of an account, for operators. The filters are in the address. */
export function AnyRequestsPage() {
  const { id } = useParams({ from: path })
  const search = useSearch({ from: path })
  const navigate = useNavigate({ from: path })
  const query = useQuery(adminRead('getAccount', { params: { id } }))
  const account = query.data?.account
  if (isCode(query.error, 'not_found')) {
    return (
      <Page title={title} description={<BackLink to="/dashboard/operator/accounts">Accounts</BackLink>}>
        <Card isFlush>
          <QueryView query={query}>{() => null}</QueryView>
        </Card>
      </Page>
    )
  }
  return (
    <RequestsView
      key={id}
      log={logOfAccount(id)}
      title={title}
      description={
        <BackLink to="/dashboard/operator/accounts/$id" id={id}>
          {account === undefined ? 'Account details' : nameOfAccount(account)}
        </BackLink>
      }
      search={search}
      onSearch={(changed) => void navigate({ search: changed, replace: true })}
      choices={choicesOf(account)}
      whenEmpty="Requests with the keys of this account will appear here."
    />
  )
}

/** Operators do not see which models the plan of an account offers, so they type the model. */
const choicesOf = (account: AdminAccount | undefined): FilterChoices => ({
  keys: (choice) => (
    <Choice
      label="Key"
      {...choice}
      options={[
        ['', 'All keys'],
        ...(account?.key_list ?? [])
          .filter(({ scope }) => scope === 'inference')
          .map((key) => [key.id, key.status === 'revoked' ? `${nameOfKey(key)} (revoked)` : nameOfKey(key)] as const)
      ]}
    />
  ),
  members: account?.users,
  models: null
})
