import { Link } from '@tanstack/react-router'
import {
  ChartColumn,
  CreditCard,
  KeyRound,
  LayoutDashboard,
  MessagesSquare,
  ScrollText,
  UserRound,
  Users
} from 'lucide-react'

/** The pages of the menu, in order. */
export const destinations = [
  { to: '/dashboard', text: 'Overview', icon: LayoutDashboard },
  { to: '/dashboard/keys', text: 'Keys', icon: KeyRound },
  { to: '/dashboard/playground', text: 'Playground', icon: MessagesSquare },
  { to: '/dashboard/usage', text: 'Usage', icon: ChartColumn },
  { to: '/dashboard/billing', text: 'Billing', icon: CreditCard },
  { to: '/dashboard/team', text: 'Team', icon: Users },
  { to: '/dashboard/audit', text: 'Audit log', icon: ScrollText, isForOwner: true },
  { to: '/dashboard/account', text: 'Account', icon: UserRound }
] as const

interface NavigationProps {
  readonly isOwner: boolean
  /** Called with the path of a followed link, so that the menu can close. */
  readonly onChosen?: (to: string) => void
}

export function Navigation({ isOwner, onChosen }: NavigationProps) {
  return (
    <ul className="space-y-0.5">
      {destinations
        .filter((destination) => isOwner || !('isForOwner' in destination))
        .map(({ to, text, icon: Icon }) => (
          <li key={to}>
            <Link
              to={to}
              activeOptions={{ exact: to === '/dashboard' }}
              {...(onChosen !== undefined && { onClick: () => onChosen(to) })}
              className="flex min-h-9 items-center gap-3 rounded-lg px-3 py-1.5 text-sm font-medium text-ink-soft transition-colors hover:bg-sunken hover:text-ink data-[status=active]:bg-accent-soft data-[status=active]:text-accent-strong"
            >
              <Icon aria-hidden="true" className="size-4 shrink-0" />
              {text}
            </Link>
          </li>
        ))}
    </ul>
  )
}
