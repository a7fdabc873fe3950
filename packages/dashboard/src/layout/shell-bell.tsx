import { useLocation } from '@tanstack/react-router'
import { Bell as BellIcon } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { accountFeed } from '../notices/feed.ts'
import { Bell, bellLook } from './bell.tsx'
import { useUser } from './caller.ts'

const WaitingBell = () => (
  <span aria-hidden="true" className={bellLook}>
    <BellIcon className="size-5" />
  </span>
)

const OperatorBell = lazy(() =>
  import('./operator-bell.tsx').then(
    ({ OperatorBell: component }) => ({ default: component }),
    // The page stays usable without a bell. If its own code is missing too, the router says so.
    () => ({ default: WaitingBell })
  )
)

/** The bell of the account, and on the operators' pages the bell of the operators. */
export function ShellBell() {
  const { pathname } = useLocation()
  const isOperator = useUser().role === 'operator'
  if (!isOperator || !/^\/dashboard\/operator(\/|$)/.test(pathname)) return <Bell key="account" feed={accountFeed} />
  return (
    <Suspense fallback={<WaitingBell />}>
      <OperatorBell />
    </Suspense>
  )
}
