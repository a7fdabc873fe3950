import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { AdminAccount } from '@tollgate/contracts/http/admin/accounts.ts'
import { adminCall, adminRead, adminSend } from '../../api/admin.ts'
import { isCode } from '../../api/api-error.ts'
import { nameOfKey } from '../../format/visible-text.ts'
import { Card } from '../../ui/card.tsx'
import { textLink } from '../../ui/class-names.ts'
import { BackLink, Page } from '../../ui/page.tsx'
import { Choice } from '../../ui/select-box.tsx'
import { QueryView } from '../../ui/states.tsx'
import { exportPath } from '../requests/read-filters.ts'
import type { FilterChoices } from '../requests/request-filters.tsx'
import type { RequestLog } from '../requests/request-log.tsx'
import { RequestView } from '../requests/request-page.tsx'
import { RequestsView } from '../requests/requests-page.tsx'
import { nameOfAccount } from './describe-account.ts'

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

/**
 * A request of any account, for operators. Its address has only its own id, which is all that a customer may have sent.
 */
export function AnyRequestPage() {
  const { id } = useParams({ from: '/dashboard/operator/requests/$id' })
  const query = useQuery(adminRead('getRequest', { params: { id } }))
  const account = query.data?.request.account_id
  return (
    <RequestView
      query={query}
      back={
        // Nothing stands here until it is known where the link leads, so that it does not change under a pointer.
        query.isPending ? (
          '\u00a0'
        ) : account === undefined ? (
          <BackLink to="/dashboard/operator/accounts">Accounts</BackLink>
        ) : (
          <BackLink to="/dashboard/operator/accounts/$id/requests" id={account}>
            Requests of the account
          </BackLink>
        )
      }
      account={account !== undefined && <AccountLink id={account} />}
    />
  )
}

function AccountLink({ id }: { readonly id: string }) {
  const { data } = useQuery(adminRead('getAccount', { params: { id } }))
  return (
    <Link to="/dashboard/operator/accounts/$id" params={{ id }} className={textLink}>
      {data === undefined ? id : nameOfAccount(data.account)}
    </Link>
  )
}
