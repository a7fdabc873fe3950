import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Building2 } from 'lucide-react'
import { adminRead } from '../../../api/admin.ts'
import { buttonLook } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { operatorHeads } from '../../../ui/operator-heads.ts'
import { Page } from '../../../ui/page.tsx'
import { Empty, QueryView } from '../../../ui/states.tsx'
import { OpenRequest } from '../../requests/open-request.tsx'
import { PendingActsCard } from '../pending-acts/pending-acts-card.tsx'
import { AccountFilters } from './account-filters.tsx'
import { AccountRow } from './account-row.tsx'
import { type AccountsSearch, isFiltered, queryOf } from './accounts-search.ts'

const path = '/dashboard/operator/accounts'

export function AccountsPage() {
  const search = useSearch({ from: path })
  const navigate = useNavigate({ from: path })
  const query = useQuery({
    ...adminRead('listAccounts', { query: queryOf(search) }),
    placeholderData: keepPreviousData
  })
  // Another list begins with its first page.
  const change = (changed: AccountsSearch) =>
    void navigate({ search: { ...search, cursor: '', ...changed }, replace: true })
  const isOld = query.isPlaceholderData
  const next = isOld ? null : (query.data?.next_cursor ?? null)
  return (
    <Page {...operatorHeads['/dashboard/operator/accounts']}>
      <PendingActsCard />
      <AccountFilters search={search} onChange={change} />
      <OpenRequest receipts="/dashboard/operator/requests" />
      <div aria-busy={isOld} className={`transition-opacity ${isOld ? 'opacity-60' : ''}`}>
        <Card isFlush>
          <QueryView query={query} lines={8}>
            {({ accounts }) =>
              accounts.length === 0 ? (
                <NoAccounts search={search} />
              ) : (
                <ul aria-label="Accounts" className="divide-y divide-line">
                  {accounts.map((account) => (
                    <AccountRow key={account.id} account={account} />
                  ))}
                </ul>
              )
            }
          </QueryView>
        </Card>
      </div>
      {(next !== null || search.cursor !== undefined) && (
        <nav aria-label="Pages of the list" className="flex justify-center gap-2">
          {search.cursor !== undefined && (
            <Link to={path} search={{ ...search, cursor: '' }} className={buttonLook()}>
              First page
            </Link>
          )}
          {next !== null && (
            <Link to={path} search={{ ...search, cursor: next }} className={buttonLook()}>
              Next page
            </Link>
          )}
        </nav>
      )}
    </Page>
  )
}

function NoAccounts({ search }: { readonly search: AccountsSearch }) {
  if (!isFiltered(search) && search.cursor === undefined) {
    return (
      <Empty icon={Building2} title="No accounts yet">
        Everyone who signs up appears here.
      </Empty>
    )
  }
  return (
    <Empty
      icon={Building2}
      title="No matching accounts"
      action={
        <Link to={path} search={{}} className={buttonLook()}>
          Show all accounts
        </Link>
      }
    >
      Search for a part of an e-mail address, the first four or more characters of an account id, a whole key id, or a
      value of a key’s metadata.
    </Empty>
  )
}
