import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { send } from '../../api/call.ts'
import { read } from '../../api/queries.ts'
import { useAccount } from '../../layout/caller.ts'
import { pageHeads } from '../../ui/page-heads.ts'
import { textLink } from '../../ui/text-link.ts'
import { KeyChoice } from '../../usage/key-choice.tsx'
import { exportPath } from './read-filters.ts'
import type { FilterChoices } from './request-filters.tsx'
import type { RequestLog } from './request-log.ts'
import { RequestsView } from './requests-view.tsx'

const path = '/dashboard/requests'

const ownLog: RequestLog = {
  key: ['listRequests'],
  receipts: path,
  hasProviders: false,
  list: (query, signal) => send('listRequests', { query: { ...query } }, signal),
  exportPath
}

/** Every request of the account with its cost. The filters are in the address. */
export function RequestsPage() {
  const search = useSearch({ from: path })
  const navigate = useNavigate({ from: path })
  return (
    <RequestsView
      log={ownLog}
      {...pageHeads[path]}
      search={search}
      onSearch={(changed) => void navigate({ search: changed, replace: true })}
      choices={useOwnChoices()}
      whenEmpty={
        <>
          Requests with your keys will appear here.{' '}
          <Link to="/dashboard/playground" className={textLink}>
            Try a model in the playground
          </Link>
          .
        </>
      }
    />
  )
}

function useOwnChoices(): FilterChoices {
  const { models } = useAccount()
  const team = useQuery(read('getTeam'))
  return {
    keys: (choice) => <KeyChoice {...choice} />,
    members: team.data?.team.members,
    models: models.map(({ id }) => id)
  }
}
