import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { adminRead } from '../../../api/admin.ts'
import { BackLink } from '../../../ui/back-link.tsx'
import { textLink } from '../../../ui/text-link.ts'
import { RequestView } from '../../requests/request-view.tsx'
import { nameOfAccount } from '../describe-account.ts'

/** A request of any account, for operators. Its address has only its own id, which is all that a customer may have sent. */
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
