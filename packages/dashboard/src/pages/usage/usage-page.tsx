import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ListTree } from 'lucide-react'
import { buttonLook } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { pageHeads } from '../../ui/page-heads.ts'
import { useCurrentHour } from '../../usage/live.ts'
import { LatencyView } from './latency-view.tsx'
import { zoneOfBars } from './name-start.ts'
import { SumsView } from './sums-view.tsx'
import { requestsOfRange } from './to-requests.ts'
import { UsageControls } from './usage-controls.tsx'
import {
  onlyOf,
  rangeOfSearch,
  readHidden,
  readUsageSearch,
  type UsageSearchChange,
  writeHidden
} from './usage-search.ts'

export function UsagePage() {
  // The router keeps what it could not read: a shortened address must not break the page.
  const search = readUsageSearch({ ...useSearch({ from: '/dashboard/usage' }) })
  const navigate = useNavigate({ from: '/dashboard/usage' })
  const change = (changed: UsageSearchChange) =>
    void navigate({ search: readUsageSearch({ ...search, ...changed }), replace: true })
  const range = rangeOfSearch(search, useCurrentHour())
  const { by = 'model', show = 'cost', of = 'first' } = search
  const common = {
    only: onlyOf(search),
    hidden: readHidden(search.hide),
    onHide: (ids: ReadonlySet<string>) => change({ hide: writeHidden(ids) })
  }
  return (
    <Page
      title={pageHeads['/dashboard/usage'].title}
      description={
        <>
          Requests, tokens, cost and latency. New requests appear within seconds. Days and months are in UTC. Hours are
          in {zoneOfBars('hour')}.
        </>
      }
      actions={
        <Link to="/dashboard/requests" search={requestsOfRange(range, onlyOf(search))} className={buttonLook()}>
          <ListTree aria-hidden="true" className="size-4" />
          See requests
        </Link>
      }
    >
      <UsageControls search={search} range={range} change={change} />
      {show === 'latency' ? (
        <LatencyView range={range} by={by} of={of} {...common} />
      ) : (
        <SumsView range={range} by={by} measure={show} isCompared={search.compare === 'yes'} {...common} />
      )}
    </Page>
  )
}
